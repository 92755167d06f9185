/* What every unit test includes: cmocka with its prerequisites, and asserts for statuses and views. */
#ifndef MLIA_TEST_SUPPORT_H
#define MLIA_TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/status.h"

/* The call succeeds; on failure its kind and message are printed. */
#define assert_ok(expression)                                                                                \
    do {                                                                                                     \
        mlia_status *assert_status_ = (expression);                                                          \
        if (assert_status_ != NULL) {                                                                        \
            print_error("%s: %.*s\n", mlia_kind_name(mlia_status_kind(assert_status_)),                      \
                        MLIA_STR_ARG(mlia_status_message(assert_status_)));                                  \
            mlia_status_free(assert_status_);                                                                \
            fail();                                                                                          \
        }                                                                                                    \
    } while (0)

/* The call fails with exactly this kind and a message. */
#define assert_kind(expression, expected)                                                                    \
    do {                                                                                                     \
        mlia_status *assert_status_ = (expression);                                                          \
        assert_non_null(assert_status_);                                                                     \
        assert_string_equal(mlia_kind_name(mlia_status_kind(assert_status_)), mlia_kind_name(expected));     \
        assert_true(mlia_status_message(assert_status_).size > 0);                                           \
        mlia_status_free(assert_status_);                                                                    \
    } while (0)

#define assert_str(view, literal)                                                                            \
    do {                                                                                                     \
        mlia_str assert_view_ = (view);                                                                      \
        assert_int_equal(assert_view_.size, sizeof(literal) - 1);                                            \
        assert_memory_equal(assert_view_.data, literal, sizeof(literal) - 1);                                \
    } while (0)

#endif
