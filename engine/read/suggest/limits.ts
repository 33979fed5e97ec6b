// Limits of suggestions and corrections, each with its reason.

/** UTF-16 units of what is typed; longer text is pasted, not typed, and is not completed. */
export const TYPED_UNITS_MAX = 512

/**
 * Words that complete what is typed and whose documents are counted, those of most documents first.
 * Counting reads the documents of each; with a filter that excludes most documents, the words that remain
 * are mostly among them.
 */
export const WORDS_COUNTED_MAX = 1000

/**
 * Words that complete a stretch of a script without spaces and whose places in documents are read:
 * only those directly behind the words before them are suggested.
 */
export const RUN_WORDS_MAX = 50

/**
 * Hits whose titles are compared with what is typed: ranking by the position of words puts the
 * titles that begin with it first, and each hit has to be read.
 */
export const TITLES_READ_MAX = 100

/** UTF-16 units of a title: longer texts are descriptions, and no list shows them. */
export const TITLE_UNITS_MAX = 200

/** Bytes of a value of a document, as JSON, that is searched for the spelling of a word. */
export const VALUE_BYTES_MAX = 65_536

/** Texts of one field of a document that are read: lists may have thousands. */
export const TEXTS_READ_MAX = 100

/** Hits in which the words of a correction are searched: the first ones match best. */
export const CORRECTION_HITS_MAX = 10
