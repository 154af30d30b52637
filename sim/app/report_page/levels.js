// SPDX-License-Identifier: Apache-2.0
// A track of slices that follow each other without a gap, and sums over any stretch of it in time that does not grow
// with the number of slices: where a slice begins is found by binary search, and sums by category are kept for each
// block of slices, so that a stretch costs two partial blocks.
"use strict";
heddle.Track = class {
  static block = 64;

  // slices: [length, label, length, label, ...]; categoryOf[label]: 0 .. categories - 1.
  constructor(slices, categoryOf, categories) {
    const n = slices.length / 2;
    this.count = n;
    this.categories = categories;
    this.begin = new Float64Array(n + 1);
    this.label = new Uint32Array(n);
    this.category = new Uint8Array(n);
    const blocks = Math.ceil(n / heddle.Track.block);
    this.sums = new Float64Array((blocks + 1) * categories);  // before each block, by category
    let at = 0;
    for (let i = 0; i < n; ++i) {
      const length = slices[2 * i], label = slices[2 * i + 1];
      this.begin[i] = at;
      this.label[i] = label;
      this.category[i] = categoryOf[label];
      const row = (Math.floor(i / heddle.Track.block) + 1) * categories;
      if (i % heddle.Track.block === 0) this.sums.copyWithin(row, row - categories, row);
      this.sums[row + this.category[i]] += length;
      at += length;
    }
    this.begin[n] = at;
  }

  // The slice that holds the moment; the last one for the track's end.
  at(moment) {
    let low = 0, high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.begin[middle] <= moment)
        low = middle;
      else
        high = middle - 1;
    }
    return low;
  }

  // Adds the time of each category in slices [from, to) to `into`.
  addWhole(from, to, into) {
    const size = heddle.Track.block;
    let i = from;
    for (; i < to && i % size !== 0; ++i) into[this.category[i]] += this.begin[i + 1] - this.begin[i];
    const first = i / size, last = Math.floor(to / size);
    if (i < to && last > first) {
      const a = first * this.categories, b = last * this.categories;
      for (let c = 0; c < this.categories; ++c) into[c] += this.sums[b + c] - this.sums[a + c];
      i = last * size;
    }
    for (; i < to; ++i) into[this.category[i]] += this.begin[i + 1] - this.begin[i];
  }

  // The time of each category between two moments, into an array that is cleared first. `first` is the slice that
  // holds `from`; returns the one that holds `to`.
  between(from, to, first, into) {
    into.fill(0);
    let last = first;
    // Neighbouring pixels are neighbouring slices: a few steps, then a search.
    for (let steps = 0; last + 1 < this.count && this.begin[last + 1] <= to; ++last)
      if (++steps > 8) {
        last = this.at(to);
        break;
      }
    if (first === last) {
      into[this.category[first]] += to - from;
      return last;
    }
    into[this.category[first]] += this.begin[first + 1] - from;
    this.addWhole(first + 1, last, into);
    into[this.category[last]] += to - this.begin[last];
    return last;
  }
};
