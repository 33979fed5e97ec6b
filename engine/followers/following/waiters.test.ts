// Requests that wait for indexes which are still downloaded, and the leases of that time.
import { afterEach, expect, it, vi } from 'vitest'
import { asIndexNo } from '../../../format/ids.ts'
import { leaseKey } from '../../backup/objstore/keys.ts'
import { MemoryObjects } from '../../backup/objstore/test-memory-store.ts'
import { EngineFault } from '../../model/index.ts'
import { LEASE_RENEWAL_MS } from './limits.ts'
import { OwnLeases } from './own-leases.ts'
import { Waiters } from './waiters.ts'

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const [A, B] = [asIndexNo(1), asIndexNo(2)]
const fault = (): EngineFault => new EngineFault('index_not_downloaded', 'not here')
const REFUSED = { code: 'index_not_downloaded' }

it('a request waits until all of its indexes are served', async () => {
  const waiters = new Waiters(60_000, 10)
  const done: string[] = []
  const both = waiters.wait([A, B], fault).then(() => done.push('both'))
  const one = waiters.wait([B], fault).then(() => done.push('one'))
  waiters.serve((number) => number === B)
  await one
  expect(done).toEqual(['one'])
  waiters.serve((number) => number === A)
  await both
  expect(done).toEqual(['one', 'both'])
})

it('a request waits for a limited time', async () => {
  vi.useFakeTimers()
  const waiters = new Waiters(100, 10)
  const refused = expect(waiters.wait([A], fault)).rejects.toMatchObject(REFUSED)
  const served = waiters.wait([B], fault)
  vi.advanceTimersByTime(99)
  waiters.serve((number) => number === B)
  await served
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(1)
  await refused
})

it('few requests wait, and none at the end', async () => {
  const waiters = new Waiters(60_000, 2)
  const waiting = [waiters.wait([A], fault), waiters.wait([A], fault)]
  await expect(waiters.wait([A], fault)).rejects.toMatchObject(REFUSED)
  waiters.serve((number) => number === A)
  await Promise.all(waiting)
  const last = waiters.wait([A], fault)
  waiters.refuseAll()
  await expect(last).rejects.toMatchObject(REFUSED)
})

it('leases are written when they change, and renewed until they are dropped', async () => {
  const store = new MemoryObjects()
  const place = { prefix: 'p', name: 'db' }
  const source = { bucket: store.bucket(), place } as Parameters<OwnLeases['renew']>[0]
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0)
  let now = 1
  const leases = new OwnLeases(() => now)
  const written = (follower: string): string | null => {
    const key = leaseKey(place, follower)
    const bytes = store.objects.get(key)
    store.objects.delete(key)
    return bytes === undefined ? null : Buffer.from(bytes).toString()
  }
  const [one, two] = ['20260102-030405006000-1a2b3c4d', '20260102-030405006000-1a2b3c4e']
  await leases.hold(source, 'state', 'f', one)
  expect(written('f')).toMatch(one)
  await leases.hold(source, 'state', 'f', one)
  expect(written('f')).toBeNull()
  await leases.hold(source, 'state', 'f', two)
  await leases.hold(source, 'download', 'f', one)
  expect([written('f'), written('f-download')]).toEqual([
    expect.stringMatching(two),
    expect.stringMatching(one),
  ])
  clock.mockReturnValue(LEASE_RENEWAL_MS - 1)
  await leases.renew(source)
  expect(written('f')).toBeNull()
  clock.mockReturnValue(LEASE_RENEWAL_MS)
  now = 2
  leases.drop('download')
  await leases.renew(source)
  expect([written('f'), written('f-download')]).toEqual([expect.stringMatching(two), null])
  await leases.renew(source)
  expect(written('f')).toBeNull()
})

it('leases are renewed while work lasts, and failures are reported', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const leases = new OwnLeases(() => 0)
  const failures: unknown[] = []
  vi.spyOn(leases, 'renew').mockRejectedValue('away')
  const work = async (): Promise<string> => {
    vi.advanceTimersByTime(2 * LEASE_RENEWAL_MS)
    await Promise.resolve()
    return 'done'
  }
  const source = {} as Parameters<OwnLeases['renew']>[0]
  expect(await leases.during(source, work, (error) => failures.push(error))).toBe('done')
  expect(failures).toEqual(['away', 'away'])
  expect(vi.getTimerCount()).toBe(0)
})
