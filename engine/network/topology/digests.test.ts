// Digests of shards that several callers request at the same time.
import { expect, test } from 'vitest'
import type { IndexNo } from '../../../format/ids.ts'
import { Canceled } from '../../model/index.ts'
import { Digests } from './digests.ts'

const INDEX = 1 as IndexNo
const GROUP = [0, -1, 5, 100, 1, 2]

/** Returns the digests of one index, and the number of its chunks that were computed. */
function computing() {
  const waiting: { go: () => void; fail: () => void }[] = []
  const state = { sequence: 1, runs: 0 }
  const parts = {
    manifest: {
      state: { indexes: new Map([[INDEX, { uid: 'films', settings: '{}', primaryKey: 'id' }]]) },
    },
    topology: { serving: { shards: new Map([['s1', { remotes: ['a'] }]]) } },
    views: () => ({
      lease: () => ({ ref: { sequence: state.sequence }, [Symbol.dispose]: () => undefined }),
    }),
    searching: {
      run: () => {
        state.runs++
        return new Promise((resolve, reject) => {
          const bytes = Buffer.from(JSON.stringify({ groups: [GROUP], last: null }))
          waiting.push({ go: () => resolve(bytes), fail: () => reject(new Canceled()) })
        })
      },
    },
  }
  const digests = new Digests(parts as unknown as ConstructorParameters<typeof Digests>[0])
  const requested = () => digests.all(null, new AbortController().signal)
  return { requested, waiting, state }
}

const afterTurn = () => new Promise((resolve) => setImmediate(resolve))

test('are computed once for callers at the same time', async () => {
  const { requested, waiting, state } = computing()
  const answers = [requested(), requested(), requested()]
  await afterTurn()
  for (const { go } of waiting) go()
  const [first, ...others] = await Promise.all(answers)
  expect(first).toMatchObject([{ uid: 'films', shards: [{ shard: 's1', documents: 5 }] }])
  for (const other of others) expect(other).toEqual(first)
  expect(state.runs).toBe(1)
  await requested()
  expect(state.runs).toBe(1)
  state.sequence++
  const later = requested()
  await afterTurn()
  waiting.at(-1)?.go()
  await later
  expect(state.runs).toBe(2)
})

test('are computed again if the caller that computed them was aborted', async () => {
  const { requested, waiting } = computing()
  const first = requested()
  const second = requested()
  await afterTurn()
  waiting[0]?.fail()
  await expect(first).rejects.toThrow(Canceled)
  await afterTurn()
  waiting[1]?.go()
  expect(await second).toMatchObject([{ uid: 'films' }])
})
