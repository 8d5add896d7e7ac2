#!/bin/sh
# The function of the tests in this directory: runs the test program with the test that acts as the function.
exec "$TEST_PROGRAM" --exact gateway::connect::tests::is_a_function --nocapture
