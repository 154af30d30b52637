#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The pages of `heddle report` and `heddle diff` in headless Chromium, driven by Selenium (Debian: chromium,
# chromium-driver, python3-selenium; HEDDLE_FULL_TESTS=1 ./heddle test installs them). Without them 77 (skipped).
#   check_pages.sh HEDDLE
set -u
here=$(cd "$(dirname "$0")" && pwd)
heddle=$1

skip() { echo "SKIPPED the pages in a browser: $1"; exit 77; }

command -v chromium >/dev/null || skip "chromium is not installed (apt-get install chromium chromium-driver python3-selenium)"
command -v chromedriver >/dev/null || skip "chromedriver is not installed (apt-get install chromium-driver)"
python=
for candidate in python3 /usr/bin/python3; do # Debian's package is of Debian's Python
    "$candidate" -c 'import selenium' 2>/dev/null && { python=$candidate; break; }
done
[ -n "$python" ] || skip "Selenium is not installed (apt-get install python3-selenium)"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
HOME=$work "$python" -B "$here/check_pages.py" "$heddle" "$work"
