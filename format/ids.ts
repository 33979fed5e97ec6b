// Types of identifying numbers and texts. At run time they are plain numbers and strings; only the
// compiler tells a task from a batch. A plain value becomes an identifier in one place: where it is
// read, parsed or counted, by the `as…` function of its type. These functions check nothing: each
// decoder and parser has checked the range before.

declare const named: unique symbol
type Brand<Thing extends string> = { readonly [T in Thing]: true }
type NamedNumber<Thing extends string> = number & { readonly [named]: Brand<Thing> }
type NamedText<Thing extends string> = string & { readonly [named]: Brand<Thing> }
/**
 * The same for positions, which inner loops take from counters, sets and typed arrays: a plain
 * number is assignable, but no identifier of a different type is.
 */
type NumberOf<Thing extends string> = number & { readonly [named]?: Brand<Thing> }

/** A document within its index: a u32, constant for the document's life. */
export type DocId = NumberOf<'document'>

/** A field within its index: a u16, in order of first appearance. */
export type FieldId = NumberOf<'field'>
/** Most fields of an index. Ids are below it, so an id and a count of fields both fit a u16. */
export const FIELDS_MAX = 65_535

/** A segment of the database; names its files. Only grows. */
export type SegmentNo = NamedNumber<'segment'>
export const asSegmentNo = (value: number): SegmentNo => value as SegmentNo

/** An index of the database. It does not change with the uid of the index. Only grows. */
export type IndexNo = NamedNumber<'index'>
export const asIndexNo = (value: number): IndexNo => value as IndexNo

/** The name of an index in the API. */
export type IndexUid = NamedText<'index-uid'>
export const asIndexUid = (value: string): IndexUid => value as IndexUid

/** A key or a webhook, in lower case with hyphens. */
export type Uuid = NamedText<'uuid'>
export const asUuid = (value: string): Uuid => value as Uuid

/** The rank of a term in the sorted dictionary of its segment. */
export type TermOrdinal = NumberOf<'term'>

/** The rank of a value, text or number, in the sorted values of a field of its segment. */
export type ValueOrdinal = NumberOf<'value'>

export type TaskUid = NamedNumber<'task'>
export const asTaskUid = (value: number): TaskUid => value as TaskUid

export type BatchUid = NamedNumber<'batch'>
export const asBatchUid = (value: number): BatchUid => value as BatchUid

/** Returns `next`, or the number after `id` if that is larger. */
export const nextAfter = <Id extends TaskUid | BatchUid>(next: Id, id: Id): Id =>
  Math.max(next, id + 1) as Id

/** A typed array of identifiers: `new Uint32Array(n) as U32Of<TaskUid>`. */
export interface U32Of<Id extends number> extends Uint32Array {
  [at: number]: Id
  at(at: number): Id | undefined
  [Symbol.iterator](): ArrayIterator<Id>
}
