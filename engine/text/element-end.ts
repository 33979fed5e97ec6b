// The end of a list element has a term of its own, one position behind its last word, where no word
// can stand: elements are WIDE_STEP apart. So exactness tells `["ran", "out"]` from `"ran. Out"`. No
// query word reaches the term by a prefix or a typo (./stop-term.ts says why). Fields with one value
// have none.

export const ELEMENT_END = '\u0003\u0003\u0003'
