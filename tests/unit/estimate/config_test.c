/* The estimator's configuration: defaults, INI texts, overrides, bundled files, and what is refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "estimate/config.h"
#include "test_support.h"

static mlia_status *read_text(mlia_estimate_config *config, mlia_config_group group, const char *text)
{
    mlia_config_default(config);
    return mlia_config_read(config, group, false, MLIA_STR("file.ini"),
                            (mlia_bytes){(const uint8_t *)text, strlen(text)});
}

static void default_file_repeats_the_defaults(void **state)
{
    (void)state;
    mlia_arena *arena = mlia_arena_new(0);
    mlia_estimate_config config;
    assert_ok(mlia_config_load(&(mlia_config_choice){.system = MLIA_STR("Default.INI")}, arena, &config));
    assert_true(mlia_config_is_calibrated(&config));
    for (mlia_config_key key = 0; key < MLIA_CONFIG_KEY_COUNT; key++) {
        const mlia_config_info *info = mlia_config_describe(key);
        assert_true(mlia_config_get(&config, key) == info->fallback);
        assert_true(info->fallback >= info->lowest && info->fallback <= info->highest);
        assert_true(info->text.size > 0);
    }
    mlia_arena_free(arena);
}

static void bundled_files_load_in_their_role(void **state)
{
    (void)state;
    mlia_arena *arena = mlia_arena_new(0);
    mlia_estimate_config config;
    mlia_config_choice choice = {.system = MLIA_STR("peak-12SC-8NX-600MHz"), .compiler = MLIA_STR("cascade")};
    assert_ok(mlia_config_load(&choice, arena, &config));
    assert_true(config.clock_mhz == 600);
    assert_true(config.engines == 8);
    assert_true(config.cascade_enable == 1);
    assert_false(mlia_config_is_calibrated(&config));
    assert_true(fabs(config.clock_mhz * config.dram_rate - 1500 * 48.685) < 1e-6);
    assert_ok(mlia_config_load(&(mlia_config_choice){.system = MLIA_STR("sustained-12sc-8nx-350mhz")}, arena,
                               &config));
    assert_true(fabs(config.clock_mhz * config.dram_rate - 1500 * 48.685) < 1e-6);
    assert_non_null(mlia_bundled_find(MLIA_STR("gc-config-upstream")));
    assert_null(mlia_bundled_find(MLIA_STR("other")));
    mlia_arena_free(arena);
}

static void broken_texts_are_refused_with_their_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        mlia_config_group group;
        uint32_t line;
        const char *word;
    } cases[] = {
        {"[system]\nclock_mhz = fast\n", MLIA_CONFIG_SYSTEM, 2, "number"},
        {"[system]\nclock_mhz = 0\n", MLIA_CONFIG_SYSTEM, 2, "between"},
        {"[system]\nclock_mhz = -1\n", MLIA_CONFIG_SYSTEM, 2, "between"},
        {"[system]\nclock_mhz = inf\n", MLIA_CONFIG_SYSTEM, 2, "number"},
        {"[system]\nengines = 1.5\n", MLIA_CONFIG_SYSTEM, 2, "whole"},
        {"[system]\n\nclock = 5\n", MLIA_CONFIG_SYSTEM, 3, "no key"},
        {"[nothing]\n", MLIA_CONFIG_SYSTEM, 1, "no section"},
        {"clock_mhz = 5\n", MLIA_CONFIG_SYSTEM, 1, "before any section"},
        {"[system]\nclock_mhz = 5\nclock_mhz = 6\n", MLIA_CONFIG_SYSTEM, 3, "twice"},
        {"[system]\nclock_mhz\n", MLIA_CONFIG_SYSTEM, 2, "expected"},
        {"[stripe]\ncount = 2\n", MLIA_CONFIG_SYSTEM, 2, "compiler"},
        {"[cascade]\nenable = maybe\n", MLIA_CONFIG_COMPILER, 2, "true or false"},
    };
    mlia_estimate_config config;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mlia_status *status = read_text(&config, cases[i].group, cases[i].text);
        assert_non_null(status);
        assert_int_equal(mlia_status_kind(status), MLIA_E_ESTIMATOR_CONFIG);
        assert_int_equal(mlia_status_line(status), cases[i].line);
        assert_str(mlia_status_path_text(status), "file.ini");
        assert_non_null(memmem(mlia_status_message(status).data, mlia_status_message(status).size,
                               cases[i].word, strlen(cases[i].word)));
        mlia_status_free(status);
    }
    char long_line[400] = "[system]\nclock_mhz = ";
    memset(long_line + 21, '1', 300);
    assert_kind(read_text(&config, MLIA_CONFIG_SYSTEM, long_line), MLIA_E_ESTIMATOR_CONFIG);
    assert_kind(mlia_config_read(&config, MLIA_CONFIG_SYSTEM, false, MLIA_STR("f"),
                                 (mlia_bytes){(const uint8_t *)"[system]\n\0\n", 11}),
                MLIA_E_ESTIMATOR_CONFIG);
}

static void comments_and_blanks_are_allowed(void **state)
{
    (void)state;
    mlia_estimate_config config;
    assert_ok(read_text(&config, MLIA_CONFIG_SYSTEM,
                        "# c\r\n; c\r\n[memory.dram]\r\n  \r\nbytes_per_cycle = 24.5 ; half\r\n"));
    assert_true(config.dram_rate == 24.5);
    assert_str(config.origins[MLIA_CONFIG_dram_rate], "file.ini");
    assert_ok(read_text(&config, MLIA_CONFIG_SYSTEM, ""));
}

static void overrides_name_near_keys(void **state)
{
    (void)state;
    mlia_estimate_config config;
    mlia_config_default(&config);
    assert_ok(mlia_config_override(&config, MLIA_STR("memory.dram.bytes_per_cycle = 24")));
    assert_true(config.dram_rate == 24);
    assert_kind(mlia_config_override(&config, MLIA_STR("memory.dram.bytes_per_cycle")), MLIA_E_OVERRIDE);
    assert_kind(mlia_config_override(&config, MLIA_STR("memory.dram.bytes_per_cycle=x")), MLIA_E_OVERRIDE);
    mlia_status *status = mlia_config_override(&config, MLIA_STR("memory.dram.byte_per_cycle=24"));
    assert_int_equal(mlia_status_kind(status), MLIA_E_OVERRIDE);
    mlia_str hint = mlia_status_hint_text(status);
    assert_non_null(memmem(hint.data, hint.size, "memory.dram.bytes_per_cycle", 27));
    mlia_status_free(status);
}

static void missing_and_own_files(void **state)
{
    (void)state;
    mlia_arena *arena = mlia_arena_new(0);
    mlia_estimate_config config;
    assert_kind(mlia_config_load(&(mlia_config_choice){.system = MLIA_STR("/nowhere/x.ini")}, arena, &config),
                MLIA_E_ESTIMATOR_CONFIG);
    char folder[] = "/tmp/mlia-config-XXXXXX";
    assert_non_null(mkdtemp(folder));
    char path[64];
    snprintf(path, sizeof path, "%s/own.ini", folder);
    static const char text[] = "[stripe]\ncount = 3\n[system]\nclock_mhz = 1000\n";
    assert_ok(mlia_file_write(path, (mlia_bytes){(const uint8_t *)text, sizeof text - 1}));
    mlia_config_choice choice = {.compiler = MLIA_STR("own.ini"), .compiler_folder = mlia_str_from_c(folder)};
    assert_kind(mlia_config_load(&choice, arena, &config), MLIA_E_ESTIMATOR_CONFIG);
    choice.system = choice.compiler; /* one file for both roles */
    choice.system_folder = choice.compiler_folder;
    assert_ok(mlia_config_load(&choice, arena, &config));
    assert_true(config.stripe_count == 3);
    assert_true(config.clock_mhz == 1000);
    const mlia_value *values = mlia_config_values(&config, arena);
    assert_int_equal(values->count, MLIA_CONFIG_KEY_COUNT);
    for (uint32_t i = 1; i < values->count; i++)
        assert_true(mlia_str_compare(values->as.members[i - 1].name, values->as.members[i].name) < 0);
    assert_int_equal(mlia_value_get(values, MLIA_STR("stripe.count"))->as.integer, 3);
    remove(path);
    remove(folder);
    mlia_arena_free(arena);
}

/* docs/estimator.md has one row for each key; its defaults, units and texts are those of the table. */
static void documentation_has_every_key(void **state)
{
    (void)state;
    mlia_file *file = NULL;
    assert_ok(mlia_file_open(MLIA_TEST_DATA "/../../docs/estimator.md", &file));
    mlia_str text = {(const char *)mlia_file_bytes(file).data, mlia_file_bytes(file).size};
    for (mlia_config_key key = 0; key < MLIA_CONFIG_KEY_COUNT; key++) {
        const mlia_config_info *info = mlia_config_describe(key);
        bool is_switch = info->type == MLIA_CONFIG_SWITCH;
        char row[512];
        int size = is_switch
                       ? snprintf(row, sizeof row, "| `%.*s.%.*s` | %s | false … true | %.*s | %.*s |\n",
                                  MLIA_STR_ARG(info->section), MLIA_STR_ARG(info->key),
                                  info->fallback > 0 ? "true" : "false", MLIA_STR_ARG(info->unit),
                                  MLIA_STR_ARG(info->text))
                       : snprintf(row, sizeof row, "| `%.*s.%.*s` | %.15g | ", MLIA_STR_ARG(info->section),
                                  MLIA_STR_ARG(info->key), info->fallback);
        const char *found = memmem(text.data, text.size, row, (size_t)size);
        if (found == NULL)
            fail_msg("docs/estimator.md has no row: %s", row);
        if (is_switch)
            continue;
        size = snprintf(row, sizeof row, "| %.*s | %.*s |\n", MLIA_STR_ARG(info->unit),
                        MLIA_STR_ARG(info->text));
        const char *end = memchr(found, '\n', (size_t)(text.data + text.size - found));
        assert_non_null(end);
        assert_true(end + 1 - found > size);
        assert_memory_equal(end + 1 - size, row, (size_t)size);
    }
    mlia_file_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_file_repeats_the_defaults),
        cmocka_unit_test(bundled_files_load_in_their_role),
        cmocka_unit_test(broken_texts_are_refused_with_their_line),
        cmocka_unit_test(comments_and_blanks_are_allowed),
        cmocka_unit_test(overrides_name_near_keys),
        cmocka_unit_test(missing_and_own_files),
        cmocka_unit_test(documentation_has_every_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
