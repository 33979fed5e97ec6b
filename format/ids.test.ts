// Identifying numbers of different types are not assignable to each other; plain numbers are
// assignable to all.
import { expectTypeOf, it } from 'vitest'
import type { BatchUid, DocId, FieldId, IndexNo, SegmentNo, TaskUid, TermOrdinal } from './ids.ts'

it('are distinguished by the compiler', () => {
  expectTypeOf<number>().toExtend<SegmentNo>()
  expectTypeOf<SegmentNo>().toExtend<number>()
  expectTypeOf<SegmentNo>().not.toExtend<IndexNo>()
  expectTypeOf<IndexNo>().not.toExtend<SegmentNo>()
  expectTypeOf<DocId>().not.toExtend<FieldId>()
  expectTypeOf<FieldId>().not.toExtend<TermOrdinal>()
  expectTypeOf<TermOrdinal>().not.toExtend<DocId>()
  expectTypeOf<TaskUid>().not.toExtend<BatchUid>()
  expectTypeOf<ReadonlyMap<SegmentNo, string>>().not.toExtend<ReadonlyMap<IndexNo, string>>()
})
