// A database folder in which one file has random content: it opens and closes, or is refused with a
// typed error. The first byte selects the file, the remaining bytes are its content. To a manifest
// and a task log the content can also be appended as a record with a right checksum.
import { StorageError } from '../engine/model/index.ts'
import { FakeDisk, type FileSystem } from '../engine/store/storage/index.ts'
import { addDocuments, enqueue, openTestEngine, searchFor } from '../engine/testing/test-engine.ts'
import { CorruptionError, VersionError } from '../format/errors.ts'
import { logRecordBytes, readLog, writeLogRecord } from '../format/log/index.ts'
import type { FuzzTarget } from './target.ts'

const MANIFEST = 'manifest-000001.log'
const TASK_LOG = 'tasks/tasks-000001.log'
const FILES = ['VERSION', 'CURRENT', 'CLOSED', MANIFEST, TASK_LOG] as const
const EDIT = 1

type Base = ReadonlyMap<string, Uint8Array>

let base: Promise<Base> | null = null

/** The files of a small database that was closed cleanly. */
async function makeBase(): Promise<Base> {
  const fs = new FakeDisk().mount()
  const engine = await openTestEngine(fs)
  await addDocuments(engine, 'films', [{ id: 1, title: 'harbour' }])
  const content = { kind: 'indexCreation', primaryKey: null } as const
  await enqueue(engine, 'books', content)
  await engine.idle()
  await engine.close()
  return new Map([...FILES].map((path) => [path, bytesOf(fs, path)]))
}

function bytesOf(fs: FileSystem, path: string): Uint8Array {
  const bytes = new Uint8Array(fs.size(path))
  const file = fs.open(path, 'read')
  file.read(0, bytes)
  file.close()
  return bytes
}

function put(fs: FileSystem, path: string, bytes: Uint8Array): void {
  const file = fs.open(path, 'create')
  file.write(0, bytes)
  file.close()
}

const led = (which: number, bytes: Uint8Array | string): Uint8Array =>
  Uint8Array.of(which, ...(typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes))

export const target: FuzzTarget = {
  name: 'folder',
  seeds: () => [
    led(0, '1.50.0'),
    led(0, ' 1.49.12\n'),
    led(1, `${MANIFEST}\n`),
    led(2, `${MANIFEST} 12345 8f1c22ab\n${TASK_LOG} 4096 01d2e3f4\ncrc32 5a6b7c8d\n`),
    // Edits: no change, an index, a value, the note of an upgrade.
    led(5, Uint8Array.of(0x94, 1, 0, 3, 0x90)),
    led(5, Uint8Array.of(0x94, 1, 0, 3, 0x91, 0x92, 2, 1)),
    led(5, upgradeEdit()),
    led(6, Uint8Array.of(2, 0, 1, 0, 0, 0)),
  ],
  run,
  allows: (error) =>
    error instanceof StorageError ||
    error instanceof CorruptionError ||
    error instanceof VersionError,
  inputBytesMax: 2048,
}

/** The bytes of `[1, 0, 3, [[13, "upgrade", "from", bin]]]`. */
function upgradeEdit(): Uint8Array {
  const text = (value: string): number[] => [
    0xa0 + value.length,
    ...new TextEncoder().encode(value),
  ]
  const from = new TextEncoder().encode('1.49.0')
  const change = [0x94, 13, ...text('upgrade'), ...text('from'), 0xc4, from.length, ...from]
  return Uint8Array.of(0x94, 1, 0, 3, 0x91, ...change)
}

async function run(input: Uint8Array): Promise<void> {
  base ??= makeBase()
  const files = new Map(await base)
  const which = (input[0] ?? 0) % (FILES.length + 2)
  const content = input.subarray(1)
  const path = FILES[which]
  if (path !== undefined) files.set(path, content)
  else {
    // Without the clean-shutdown marker, logs are read regardless of how they ended.
    files.delete('CLOSED')
    const log = which === FILES.length ? MANIFEST : TASK_LOG
    files.set(log, withRecord(files.get(log)!, log === MANIFEST ? 'MANI' : 'TASK', content))
  }
  const fs = new FakeDisk().mount()
  for (const folder of ['segments', 'tasks', 'tasks/bodies']) fs.makeDirectory(folder)
  for (const [name, bytes] of files) put(fs, name, bytes)
  const engine = await openTestEngine(fs, { upgrade: true })
  await engine.idle()
  for (const { uid } of engine.documents.listIndexes(null))
    await searchFor(engine, uid, { q: 'harbour' })
  await engine.close()
}

/** Returns the log with one more record; of a task log the first byte is the record's type. */
function withRecord(log: Uint8Array, kind: 'MANI' | 'TASK', content: Uint8Array): Uint8Array {
  const { header, records, validBytes } = readLog(log, kind, () => undefined)
  const type = kind === 'MANI' ? EDIT : (content[0] ?? 1)
  const payload = kind === 'MANI' ? content : content.subarray(1)
  const out = new Uint8Array(validBytes + logRecordBytes(payload.length))
  out.set(log.subarray(0, validBytes))
  writeLogRecord(out, validBytes, header.salt, records, records, type, payload)
  return out
}
