// Types of identifying numbers. A plain number is assignable to each of them (numbers are read from
// bytes, tables and loops), but an identifier is not assignable to a different type. At run time
// all are numbers.

declare const named: unique symbol
type NumberOf<Thing extends string> = number & { readonly [named]?: Thing }

/** A document within its index: a u32, constant for the document's life. */
export type DocId = NumberOf<'document'>
/** A field within its index: a u16, in order of first appearance. */
export type FieldId = NumberOf<'field'>
/** Most fields of an index. Ids are below it, so an id and a count of fields both fit a u16. */
export const FIELDS_MAX = 65_535
/** A segment of the database; names its files. Only grows. */
export type SegmentNo = NumberOf<'segment'>
/** An index of the database. It does not change with the uid of the index. Only grows. */
export type IndexNo = NumberOf<'index'>
/** The rank of a term in the sorted dictionary of its segment. */
export type TermOrdinal = NumberOf<'term'>
export type TaskUid = NumberOf<'task'>
export type BatchUid = NumberOf<'batch'>
