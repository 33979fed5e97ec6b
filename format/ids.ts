// Numbers that name things, told apart by their types. A plain number is accepted where any of them
// is asked for (they come out of bytes, tables and loops); one that names something else is not.
// At run time all of them are numbers.

declare const named: unique symbol
type NumberOf<Thing extends string> = number & { readonly [named]?: Thing }

/** A document within its index, a u32, for as long as it lives. */
export type DocId = NumberOf<'document'>
/** A field within its index, a u16, in order of first appearance. */
export type FieldId = NumberOf<'field'>
/** A segment of the database; segment files are named by it. Only grows. */
export type SegmentNo = NumberOf<'segment'>
/** An index of the database. It stays when the uid of the index changes. Only grows. */
export type IndexNo = NumberOf<'index'>
/** The place of a term in the sorted dictionary of its segment. */
export type TermOrdinal = NumberOf<'term'>
export type TaskUid = NumberOf<'task'>
export type BatchUid = NumberOf<'batch'>
