#!/bin/sh
# The function of the tests beside this file: their own program, told to be a function.
exec "$TEST_PROGRAM" --exact lambda::runtime::tests::is_a_function --nocapture
