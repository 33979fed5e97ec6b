// What a vectors segment may hold, and why not more. Builders assert these, readers refuse beyond
// them.

/** As in the other layers: an `IdSet` is dense from id 0 on. */
export const DOCUMENT_IDS_MAX = 1 << 28

/** Rows of one embedder in a segment; their numbers stay in the range of small integers. */
export const ROWS_MAX = 1 << 26

/** Embedders of an index: the settings allow 256, and one that was removed may still be here. */
export const EMBEDDERS_MAX = 1024

/** Vectors of one document for one embedder: what clients know as the most that is kept. */
export const DOCUMENT_ROWS_MAX = 256

/** The fragment of a row that is of no fragment, where others of its embedder are of some. */
export const NO_FRAGMENT = 255

/** Longer than the vectors of any model. A scan holds some dozen of this length. */
export const DIMENSIONS_MAX = 1 << 16

/** The memory that search threads share has addresses of 32 bits; 2 GiB can be had everywhere. */
export const MEMORY_PAGES_MAX = 1 << 15

/** Of it for codes, in pages of 64 KiB: those of 40 million rows of 96 dimensions. */
export const CODE_PAGES_MAX = 1 << 14

/** Codes of fewer rows are copied for each search: they are read as quickly. */
export const SHARED_ROWS_MIN = 1024
