# SPDX-License-Identifier: Apache-2.0
"""check_pages.py HEDDLE FOLDER: what a person does with the pages, in headless Chromium. Prints one line a check."""
import json
import os
import subprocess
import sys
import time

from selenium.webdriver.common.keys import Keys

from browser import Browser, hostile, with_timeline

heddle, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
failures = []


def check(what, good, found=""):
    print("%s %s" % ("ok    " if good else "FAILED", what), found if not good else "", flush=True)
    if not good:
        failures.append(what)


def call(*arguments):
    subprocess.run([heddle, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def path(name):
    return os.path.join(folder, name)


def report(name, result):
    """A page of a result that this script made."""
    with open(path(name + ".json"), "w") as file:
        json.dump(result, file)
    call("report", name + ".json", "-o", name + ".html")
    return path(name + ".html")


def numbers(css, column):
    return browser.run("""return Array.from(document.querySelectorAll(arguments[0] + " tbody tr"),
                          (row) => Number(row.cells[arguments[1]].dataset.v))""", css, column)


def column_of(css, name):
    headings = browser.run("""return Array.from(document.querySelectorAll(arguments[0] + " th"),
                              (th) => th.textContent)""", css)
    return headings.index(name)


def press_heading(css, column):
    browser.run("document.querySelectorAll(arguments[0] + ' th')[arguments[1]].querySelector('button').click()", css, column)


def check_sorting(css, name):
    column = column_of(css, name)
    press_heading(css, column)
    down = numbers(css, column)
    press_heading(css, column)
    up = numbers(css, column)
    check("a table sorts by %s, both ways" % name,
          len(down) > 1 and down == sorted(down, reverse=True) and up == sorted(up), (down, up))
    check("the sorted column says so", browser.run(
        "return document.querySelectorAll(arguments[0] + ' th')[arguments[1]].getAttribute('aria-sort')", css, column)
        == "ascending")


def check_zoom():
    view = lambda: browser.run("return [heddle.timeline.view.from, heddle.timeline.view.to]")
    canvas = browser.find("#timeline canvas")
    begin, end = view()
    canvas.send_keys("+")
    near = view()
    check("plus zooms in around the middle", near[1] - near[0] == (end - begin) / 2 and near[0] > begin, near)
    canvas.send_keys(Keys.ARROW_RIGHT)
    check("the right arrow pans", view()[0] > near[0] and view()[1] - view()[0] == near[1] - near[0], view())
    canvas.send_keys("-", "-")
    check("minus zooms out, not past the run", view() == [begin, end], view())
    browser.find("#timeline button[aria-label='Zoom in']").click()
    check("so does the button", view()[1] - view()[0] == (end - begin) / 2, view())
    browser.run("""const c = heddle.timeline.canvas, b = c.getBoundingClientRect();
      c.dispatchEvent(new WheelEvent("wheel", {deltaY: -200, ctrlKey: true, clientX: b.left + 500, clientY: b.top + 60,
                                               bubbles: true, cancelable: true}));""")
    check("and the wheel with Ctrl", view()[1] - view()[0] < (end - begin) / 2, view())
    canvas.send_keys(Keys.HOME)
    check("Home shows the whole run", view() == [begin, end], view())
    canvas.send_keys(Keys.ARROW_DOWN, ".")
    check("a chosen slice is described", "cycles" in browser.text("#timeline .status"), browser.text("#timeline .status"))


def color(css="body"):
    return browser.run("return getComputedStyle(document.querySelector(arguments[0])).backgroundColor", css)


def lightness(rgb):
    return sum(int(x) for x in rgb[4:-1].split(",")[:3]) / 3


def check_themes(page):
    browser.open(page, dark=True)
    check("dark when the system is", lightness(color()) < 60, color())
    browser.find("#theme").click()
    check("the switch makes it light", lightness(color()) > 200, color())
    check("no console error in the dark", browser.console() == [], browser.console())
    browser.open(page)
    check("light when the system is", lightness(color()) > 200, color())
    before = browser.run("return heddle.timeline ? heddle.timeline.stats.draws : 0")
    browser.find("#theme").click()
    time.sleep(0.3)
    check("the switch makes it dark, the canvas too", lightness(color()) < 60
          and browser.run("return heddle.timeline ? heddle.timeline.stats.draws : 1") > before)


def check_sums():
    """Stretches of a track against a plain loop over all its slices."""
    worst = browser.run("""
      const t = heddle.timeline.tracks()[0].made, sums = new Float64Array(t.categories);
      let worst = 0, seed = 7;
      const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
      for (let round = 0; round < 200; ++round) {
        const a = random() * heddle.timeline.total, b = a + random() ** 6 * (heddle.timeline.total - a);
        const plain = new Float64Array(t.categories);
        for (let i = 0; i < t.count; ++i)
          plain[t.category[i]] += Math.max(0, Math.min(b, t.begin[i + 1]) - Math.max(a, t.begin[i]));
        t.between(a, b, t.at(a), sums);
        for (let c = 0; c < t.categories; ++c) worst = Math.max(worst, Math.abs(sums[c] - plain[c]));
      }
      return worst / heddle.timeline.total;""")
    check("sums over blocks are those of a plain loop", worst < 1e-9, worst)


def check_report():
    call("profile", "gemm", "--shape", "m=256,k=256,n=256", "--json", "run.json")
    call("report", "run.json", "-o", "run.html")
    with open(path("run.json")) as file:
        result = json.load(file)
    browser.open(path("run.html"))
    check("the page says what ran", "gemm" in browser.text("#what") and "edge" in browser.text("#what"))
    check("its cycles are the result's", format(result["cycles"], ",") in browser.text("#summary"))
    for section in ("roofline", "kernels", "stalls", "timeline", "source"):
        check("it has " + section, browser.run("return document.getElementById(arguments[0]) !== null", section))
    bars = browser.run("""return Array.from(document.querySelectorAll("#stalls > .engine .stack"),
        (stack) => Array.from(stack.children).reduce((sum, part) => sum + parseFloat(part.style.width), 0))""")
    check("every engine's bar is the whole run", len(bars) > 3 and all(abs(b - 100) < 0.1 for b in bars), bars)
    browser.run("document.querySelector('#source tr.hot').click()")
    check("a source line opens", "cycles" in browser.text("#source tr.detail"))
    browser.find("#source tr.hot").send_keys(Keys.ENTER)
    check("and closes by key", browser.run("return document.querySelector('#source tr.detail') === null"))
    check("no console error", browser.console() == [], browser.console())
    check_themes(path("run.html"))
    return result


def check_million(result):
    page = report("million", with_timeline(result, 1000000))
    browser.open(page)
    loaded = browser.run("return performance.getEntriesByType('navigation')[0].domComplete")
    check("a million slices load", browser.run("return heddle.timeline.slices") > 990000)
    draws = browser.run("""const t = heddle.timeline, out = [];
      for (const part of [1, 0.1, 0.01, 0.001, 0.0001]) {
        t.show(t.total * 0.4, t.total * (0.4 + part));
        const began = performance.now();
        t.draw();
        out.push(Math.round(performance.now() - began));
      }
      t.show(0, t.total);
      return out;""")
    print("       loaded in %.1f s; frames from the whole run to 1/10,000 of it: %s ms"
          % (loaded / 1000, draws))
    check_zoom()
    check_sums()
    painted = browser.run("""const c = heddle.timeline.canvas;
      const pixels = c.getContext("2d").getImageData(110, 24, c.width - 110, 22).data, seen = new Set();
      for (let i = 0; i < pixels.length; i += 4) seen.add((pixels[i] << 16) | (pixels[i + 1] << 8) | pixels[i + 2]);
      return seen.size;""")
    check("the sequencer's track is painted in its reasons' colours", painted > 3, painted)
    check("no console error", browser.console() == [], browser.console())


def check_hostile(result):
    attack = "</script><script>window.pwned=1</script><img src=x onerror='window.pwned=1'>\u2028\"'&"
    browser.open(report("hostile", hostile(result, attack)))
    browser.run("for (const row of document.querySelectorAll('#source tr.hot')) row.click()")
    browser.find("#timeline canvas").send_keys(Keys.ARROW_DOWN, ".")
    check("hostile names stay text", browser.run("return window.pwned === undefined && document.images.length === 0"))
    check("and are shown", "onerror" in browser.text("#kernels") and "onerror" in browser.text("#what"))
    check("no console error", browser.console() == [], browser.console())


def check_less():
    call("bench", "gemm", "--shape", "m=64,k=64,n=64", "--mode", "timing", "--json", "plain.json")
    call("bench", "gemm", "--shape", "m=64,k=64,n=64", "--mode", "values", "--json", "values.json")
    for name, says in (("plain", "has no profile"), ("values", "no clock")):
        call("report", name + ".json", "-o", name + ".html")
        browser.open(path(name + ".html"))
        check("a result without a profile says so (%s)" % name, says in browser.text("main"))
        check("no console error", browser.console() == [], browser.console())


def check_tables():
    call("profile", "gemm_l2", "--shape", "m=256,k=256,n=256", "--json", "before.json")
    call("diff", "before.json", "run.json", "-o", "diff.html", "--quiet")
    browser.open(path("diff.html"))
    check_sorting("section:nth-of-type(4)", "change")
    check("no console error", browser.console() == [], browser.console())
    call("profile", "graph_encoder", "--json", "encoder.json")
    call("report", "encoder.json", "-o", "encoder.html")
    browser.open(path("encoder.html"))
    check_sorting("#kernels", "passes")
    check("no console error", browser.console() == [], browser.console())


browser = Browser(folder)
try:
    run = check_report()
    check_tables()
    check_million(run)
    check_hostile(with_timeline(run, 2000))
    check_less()
finally:
    browser.close()
print("%d checks failed" % len(failures) if failures else "all good")
sys.exit(1 if failures else 0)
