// Identifiers of different types are not assignable to each other. Plain numbers are assignable to
// positions only.
import { expectTypeOf, it } from 'vitest'
import type {
  BatchUid,
  DocId,
  FieldId,
  IndexNo,
  IndexUid,
  SegmentNo,
  TaskUid,
  TermOrdinal,
  ValueOrdinal,
} from './ids.ts'

it('are distinguished by the compiler', () => {
  expectTypeOf<SegmentNo>().toExtend<number>()
  expectTypeOf<SegmentNo>().not.toExtend<IndexNo>()
  expectTypeOf<IndexNo>().not.toExtend<SegmentNo>()
  expectTypeOf<DocId>().not.toExtend<FieldId>()
  expectTypeOf<FieldId>().not.toExtend<TermOrdinal>()
  expectTypeOf<TermOrdinal>().not.toExtend<DocId>()
  expectTypeOf<ValueOrdinal>().not.toExtend<TermOrdinal>()
  expectTypeOf<TaskUid>().not.toExtend<BatchUid>()
  expectTypeOf<TaskUid>().not.toExtend<DocId>()
  expectTypeOf<IndexUid>().toExtend<string>()
  expectTypeOf<ReadonlyMap<SegmentNo, string>>().not.toExtend<ReadonlyMap<IndexNo, string>>()
})

it('are given to plain values where they enter', () => {
  expectTypeOf<number>().not.toExtend<TaskUid>()
  expectTypeOf<number>().not.toExtend<BatchUid>()
  expectTypeOf<number>().not.toExtend<SegmentNo>()
  expectTypeOf<number>().not.toExtend<IndexNo>()
  expectTypeOf<string>().not.toExtend<IndexUid>()
  expectTypeOf<number>().toExtend<DocId>()
  expectTypeOf<number>().toExtend<FieldId>()
})
