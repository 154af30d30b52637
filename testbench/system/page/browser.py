# SPDX-License-Identifier: Apache-2.0
"""Headless Chromium on one page, and the result of a run with as many slices as one asks for."""
import json
import os
import random

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service


class Browser:
    """A window of a laptop's size. One for all pages: starting Chromium takes longer than any of them."""

    def __init__(self, folder):
        options = Options()
        for argument in ("--headless=new", "--disable-dev-shm-usage", "--window-size=1366,860", "--disable-gpu",
                         "--user-data-dir=" + os.path.join(folder, "profile")):
            options.add_argument(argument)
        if os.geteuid() == 0:  # Chromium's sandbox refuses root
            options.add_argument("--no-sandbox")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service("chromedriver"), options=options)
        self.driver.set_page_load_timeout(120)
        self.driver.set_script_timeout(120)

    def open(self, path, dark=False):
        """`dark`: what the system prefers."""
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        self.driver.get("file://" + path)

    def close(self):
        self.driver.quit()

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def find(self, css):
        return self.driver.find_element("css selector", css)

    def text(self, css):
        return self.run("return document.querySelector(arguments[0]).textContent", css)

    def console(self):
        return [entry["message"] for entry in self.driver.get_log("browser")]


def with_timeline(result, slices):
    """The result with a timeline of about `slices` random slices: all engines' tracks, reasons and instructions."""
    random.seed(1)
    stalls = result["stalls"]
    total, rows = stalls["total_fs"], stalls["places"][:200]
    places = [{k: p[k] for k in ("program", "instruction", "mnemonic", "engine", "file", "line")} for p in rows]
    labels = [{"name": "", "reason": None, "place": -1, "cause": -1}]
    for i, p in enumerate(rows):
        work = p["reason"] in ("busy", "weight load")
        labels.append({"name": p["mnemonic"] if work else p["reason"], "reason": p["reason"], "place": i,
                       "cause": 0 if p["reason"] == "semaphore" else -1})
    tracks = []
    each = slices // len(stalls["engines"])
    for engine in stalls["engines"]:
        cuts = sorted(random.sample(range(1, total), each - 1)) + [total]
        track, begin = [], 0
        for cut in cuts:
            track += [cut - begin, random.randrange(1, len(labels))]
            begin = cut
        tracks.append({"core": engine["core"], "engine": engine["engine"], "kind": "engine", "slices": track})
    result["timeline"] = {"schema": "heddle.timeline/1", "total_fs": total, "period_fs": stalls["period_fs"],
                          "coarsened_fs": 0, "slice_count": each * len(tracks), "launches": [], "places": places,
                          "labels": labels, "tracks": tracks}
    return result


def hostile(value, text):
    """The same JSON with every string that only names something replaced by `text` and a number."""
    kept = {"schema", "mode", "reason", "kind"}
    count = [0]

    def walk(v, key=None):
        if isinstance(v, dict):
            return {k: walk(x, k) for k, x in v.items()}
        if isinstance(v, list):
            return [walk(x, key) for x in v]
        if isinstance(v, str) and key not in kept:
            count[0] += 1
            return "%s%d" % (text, count[0])
        return v

    return json.loads(json.dumps(walk(value)))
