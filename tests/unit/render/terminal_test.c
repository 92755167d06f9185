/* Text for terminals: escapes, widths, cutting, wrapping; numbers as people read them. */
#include "test_support.h"

#include "render/numbers.h"
#include "render/table.h"

static mlia_terminal terminal;
static mlia_buffer buffer;

static int set_up(void **state)
{
    (void)state;
    buffer = (mlia_buffer){0};
    terminal = (mlia_terminal){.arena = mlia_arena_new(0), .buffer = &buffer, .options = {.width = 60}};
    return terminal.arena == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    mlia_buffer_free(&buffer);
    mlia_arena_free(terminal.arena);
    return 0;
}

static void escapes_what_a_terminal_would_obey(void **state)
{
    (void)state;
    assert_str(mlia_terminal_text(&terminal, MLIA_STR("a\033[31m\x7F\n")), "a\\x1b[31m\\x7f\\x0a");
    assert_str(mlia_terminal_text(&terminal, MLIA_STR("\xC2\x9B\xE2\x80\xAE")), "\\x9b\\u{202e}");
    assert_str(mlia_terminal_text(&terminal, MLIA_STR("\xFF\xC3\xA9")), "\xEF\xBF\xBD\xC3\xA9");
    terminal.options.ascii = true;
    assert_str(mlia_terminal_text(&terminal, MLIA_STR("\xFF\xC3\xA9")), "??");
}

static void counts_cells(void **state)
{
    (void)state;
    assert_int_equal(mlia_text_width(MLIA_STR("abc")), 3);
    assert_int_equal(mlia_text_width(MLIA_STR("\xE5\x8D\xB7\xE7\xA9\x8D")), 4);
    assert_int_equal(mlia_text_width(MLIA_STR("e\xCC\x81")), 1);
    assert_int_equal(mlia_text_width(MLIA_STR("\xF0\x9F\x98\x80")), 2);
}

static void cuts_the_middle(void **state)
{
    (void)state;
    mlia_terminal_put_cut(&terminal, MLIA_STYLE_PLAIN, MLIA_STR("convolution engine"), 9);
    assert_str(mlia_buffer_str(&buffer), "conv\xE2\x80\xA6gine");
    buffer.size = 0;
    mlia_terminal_put_cut(&terminal, MLIA_STYLE_PLAIN, MLIA_STR("short"), 8);
    assert_str(mlia_buffer_str(&buffer), "short   ");
    buffer.size = 0;
    /* three wide characters, five cells: the middle one does not fit beside the mark */
    mlia_terminal_put_cut(&terminal, MLIA_STYLE_PLAIN, MLIA_STR("\xE5\x8D\xB7\xE7\xA9\x8D\xE5\xB1\xA4"), 5);
    assert_str(mlia_buffer_str(&buffer), "\xE5\x8D\xB7\xE2\x80\xA6\xE5\xB1\xA4");
}

static void wraps_between_words(void **state)
{
    (void)state;
    terminal.options.width = 20;
    mlia_terminal_put_c(&terminal, MLIA_STYLE_PLAIN, "x: ");
    mlia_terminal_put_wrapped(&terminal, MLIA_STYLE_PLAIN,
                              MLIA_STR("one two three four unbreakable-word-that-is-long"), 3, 3);
    assert_str(mlia_buffer_str(&buffer),
               "x: one two three\n   four\n   unbreakable-word-\n   that-is-long\n");
}

static void shows_figures(void **state)
{
    (void)state;
    mlia_arena *a = terminal.arena;
    assert_str(mlia_show_value(a, 9569, MLIA_STR("cycles")), "9,569");
    assert_str(mlia_show_value(a, 1234567, MLIA_STR("bytes")), "1,234,567");
    assert_str(mlia_show_value(a, 0.010200666, MLIA_STR("ms")), "0.01020");
    assert_str(mlia_show_value(a, 0.99996, MLIA_STR("ms")), "1.000");
    assert_str(mlia_show_value(a, 12345.678, MLIA_STR("ms")), "12,346");
    assert_str(mlia_show_value(a, 98032.80831, MLIA_STR("inferences/s")), "98,032.81");
    assert_str(mlia_show_value(a, 64.54480, MLIA_STR("%")), "64.5");
    assert_str(mlia_show_value(a, 0, MLIA_STR("ms")), "0.000");
    assert_str(mlia_show_value(a, 1e300, MLIA_STR("ms")), "1e+300");
    assert_str(mlia_show_bytes(a, 43884), "42.9 KiB");
    assert_str(mlia_show_bytes(a, 1048575), "1.0 MiB");
    assert_str(mlia_show_bytes(a, 1023), "");
}

static void tables_fit(void **state)
{
    (void)state;
    mlia_table table = {0};
    mlia_table_column(&terminal, &table, "Name", MLIA_ALIGN_TEXT, MLIA_STYLE_NAME);
    mlia_table_column(&terminal, &table, "Total", MLIA_ALIGN_FIGURE, MLIA_STYLE_PLAIN);
    mlia_table_column(&terminal, &table, "Op", MLIA_ALIGN_FIGURE, MLIA_STYLE_PLAIN);
    static const char *const cells[] = {"a-rather-long-name", "1,234", "17", "b", "5", "-"};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        mlia_table_cell(&terminal, &table, mlia_str_from_c(cells[i]));
    terminal.options.width = 28;
    mlia_table_print(&terminal, &table, 0);
    assert_str(mlia_buffer_str(&buffer),
               "Name               Total Op\na-rather-long-name 1,234 17\nb                      5  -\n");
    buffer.size = 0;
    terminal.options.width = 18;
    mlia_table_print(&terminal, &table, 0);
    assert_str(mlia_buffer_str(&buffer), "Name      Total Op\na-ra\xE2\x80\xA6"
                                         "name 1,234 17\nb             5  -\n");
    buffer.size = 0;
    terminal.options.width = 15;
    mlia_table_print(&terminal, &table, 0);
    assert_str(mlia_buffer_str(&buffer), "Name     Total\na-ra\xE2\x80\xA6"
                                         "ame 1,234\nb            5\n");
}

static void colours_do_not_change_the_text(void **state)
{
    (void)state;
    terminal.options.color = true;
    mlia_terminal_put(&terminal, MLIA_STYLE_ERROR, MLIA_STR("x"), 3);
    assert_str(mlia_buffer_str(&buffer), "\033[91mx\033[0m  ");
    buffer.size = 0;
    terminal.options.true_color = terminal.options.light = true;
    mlia_terminal_put(&terminal, MLIA_STYLE_TITLE, MLIA_STR("x"), 0);
    assert_str(mlia_buffer_str(&buffer), "\033[1;38;2;64;69;79mx\033[0m");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(escapes_what_a_terminal_would_obey, set_up, tear_down),
        cmocka_unit_test_setup_teardown(counts_cells, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cuts_the_middle, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wraps_between_words, set_up, tear_down),
        cmocka_unit_test_setup_teardown(shows_figures, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tables_fit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(colours_do_not_change_the_text, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
