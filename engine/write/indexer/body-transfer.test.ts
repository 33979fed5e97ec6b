// A body on its way to the intake thread: how much is sent ahead, and what ends it.
import { expect, test } from 'vitest'
import { MiB } from '../../../format/bytes/index.ts'
import { EngineFault, toWire } from '../../model/index.ts'
import { ThreadTransfer } from './body-transfer.ts'

function begun() {
  const sent: string[] = []
  const transfer = new ThreadTransfer((messageOf, moved) => {
    const message = messageOf(7)
    const bytes = 'bytes' in message ? message.bytes : null
    expect(moved).toEqual(bytes === null ? [] : [bytes.buffer])
    sent.push(`${message.kind} ${message.job}${bytes === null ? '' : ` ${bytes.length}`}`)
  })
  return { transfer, sent }
}

/** Returns whether the promise has settled once all work that is due has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  const note = (): void => {
    settled = true
  }
  promise.then(note, note)
  await new Promise(setImmediate)
  return settled
}

test('chunks are copied, and a MiB of them is sent ahead', async () => {
  const { transfer, sent } = begun()
  const whole = new Uint8Array(MiB + 8)
  await transfer.write(whole.subarray(8))
  expect([sent, whole.length]).toEqual([[`body-chunk 7 ${MiB}`], MiB + 8])
  const next = transfer.write(new Uint8Array(1))
  expect(await isSettled(next)).toBe(false)
  transfer.reply({ kind: 'body-taken', job: 7, bytes: 1 } as never)
  expect(await isSettled(next)).toBe(true)
  const end = transfer.finish()
  expect(await isSettled(end)).toBe(false)
  transfer.reply({ kind: 'body-taken', job: 7, bytes: MiB } as never)
  expect(await isSettled(end)).toBe(false)
  transfer.reply({ kind: 'body-done', job: 7, documents: 3, bytes: MiB + 1 } as never)
  expect(await end).toEqual({ documents: 3, bytes: MiB + 1 })
  transfer.abort()
  expect(sent.slice(1)).toEqual(['body-chunk 7 1', 'body-end 7'])
})

test('nothing is sent after a failure of the thread, whose reason is the first one', async () => {
  const { transfer, sent } = begun()
  const waiting = transfer.write(new Uint8Array(MiB + 1))
  const fault = new EngineFault('malformed_payload', 'not JSON')
  transfer.reply({ kind: 'failed', job: 7, error: toWire(fault) } as never)
  transfer.fail(new Error('the thread has ended'))
  const refused = { code: 'malformed_payload', message: 'not JSON' }
  await expect(waiting).rejects.toMatchObject(refused)
  await expect(transfer.write(new Uint8Array(1))).rejects.toMatchObject(refused)
  await expect(transfer.finish()).rejects.toMatchObject(refused)
  transfer.abort()
  expect(sent).toEqual([`body-chunk 7 ${MiB + 1}`])
})

test('one that is aborted tells the thread once, and wakes its writer', async () => {
  const { transfer, sent } = begun()
  const end = transfer.finish()
  transfer.abort()
  await expect(end).rejects.toMatchObject({ name: 'Canceled' })
  transfer.abort()
  expect(sent).toEqual(['body-end 7', 'body-abort 7'])
})
