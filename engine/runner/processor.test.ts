// The dispatch of batches to the kinds that run them.
import { describe, expect, it } from 'vitest'
import { asBatchUid, asTaskUid } from '../../format/ids.ts'
import { Canceled, StorageError } from '../model/index.ts'
import type { TaskEnvironment, TaskKind } from '../task-kinds/kind/index.ts'
import { AT } from '../task-kinds/kind/test-states.ts'
import { tally } from '../task-kinds/test-toy-kind.ts'
import type { BatchPlan } from '../write/batching/index.ts'
import { TaskKinds } from '../write/task-data/index.ts'
import { BatchProcessor } from './processor.ts'

const planOf = (kind: string): BatchPlan => ({
  uid: asBatchUid(0),
  startedAt: AT,
  strategy: '',
  tasks: [
    {
      uid: asTaskUid(4),
      indexUid: null,
      content: { kind },
      role: 'alone',
      enqueuedAt: AT,
      hasEffect: true,
    },
  ],
  work: { kind, indexUid: null, mayCreate: false },
})

describe('the dispatch of batches', () => {
  const processor = (run: TaskKind['runs'][string]): BatchProcessor => {
    const kinds = new TaskKinds<TaskKind>([{ ...tally, number: 0, runs: { tally: run } } as never])
    return new BatchProcessor({ kinds } as unknown as TaskEnvironment)
  }
  const control = {} as Parameters<BatchProcessor['run']>[1]

  it('turns a cancelation into an aborted batch, and passes on other errors', async () => {
    const canceled = processor(() => Promise.reject(new Canceled()))
    expect(await canceled.run(planOf('tally'), control)).toEqual({ kind: 'aborted' })
    const error = new StorageError('io', 'x', 'disk')
    const failing = processor(() => Promise.reject(error))
    await expect(failing.run(planOf('tally'), control)).rejects.toBe(error)
  })

  it('fails the tasks of a batch that no kind runs', async () => {
    const end = await processor(() => Promise.reject(new Error('not called'))).run(
      planOf('unknown'),
      control,
    )
    const error = { code: 'internal', message: 'Tasks of the kind `unknown` are not supported.' }
    const outcomes = [{ uid: 4, error, result: null }]
    expect(end).toEqual({ kind: 'uncommitted', result: { outcomes } })
  })

  it('refuses two kinds with the same batch', () => {
    const twice = [tally, { ...tally, name: 'other', number: 1 }].map((kind, number) => {
      return { ...kind, number }
    })
    const kinds = new TaskKinds<TaskKind>(twice as never)
    expect(() => new BatchProcessor({ kinds } as unknown as TaskEnvironment)).toThrow('one kind')
  })
})
