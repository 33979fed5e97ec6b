// Reads the description of the database in a snapshot from a few files, which come first.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  ArchiveError,
  archiveKey,
  decodeHead,
  fileOfSnapshot,
  findSnapshot,
  HEAD,
  HEAD_BYTES_MAX,
  readArchive,
  type SnapshotHead,
} from '../../engine/backup.ts'
import { fileBytes, RealFileSystem } from '../../engine/index.ts'
import { readDatabase, type State } from '../../engine/inspect.ts'
import { ToolError } from '../terminal/index.ts'
import type { FileSource, StoreSource } from './source.ts'

export type SnapshotCatalog = {
  /** A path, or the name in the store. */
  readonly name: string
  readonly head: SnapshotHead
  readonly state: State
  /** Size of the archive, or null if the files are separate objects in the store. */
  readonly archiveBytes: number | null
}

const isOfCatalog = (path: string): boolean => /^(?:CURRENT|manifest-\d+\.log)$/.test(path)

/** Reads the beginning of a file, or the head and the manifest in a store. */
export async function readCatalog(source: FileSource | StoreSource): Promise<SnapshotCatalog> {
  const root = mkdtempSync(join(tmpdir(), 'svc-snapshot-'))
  try {
    const into = new RealFileSystem(root)
    if (source.kind === 'file') {
      const head = await catalogOfArchive(fileBytes(source.folder, source.name), into)
      const { state } = readDatabase(into)
      return { name: source.path, head, state, archiveBytes: source.bytes }
    }
    return await catalogOfStore(source, into)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

async function catalogOfStore(
  { bucket, place, name }: StoreSource,
  into: RealFileSystem,
): Promise<SnapshotCatalog> {
  const found = await findSnapshot(bucket, place, name)
  if (found === null) throw new ToolError(`the store has no snapshot${name ? ` \`${name}\`` : ''}`)
  if (found.kind === 'archive') {
    const key = archiveKey(place)
    const head = await catalogOfArchive(bucket.get(key), into)
    return { name: key, head, state: readDatabase(into).state, archiveBytes: found.bytes }
  }
  for (const file of found.head.files.filter(({ path }) => isOfCatalog(path))) {
    await write(into, file.path, fileOfSnapshot(bucket, place, file))
  }
  const { state } = readDatabase(into)
  return { name: found.name, head: found.head, state, archiveBytes: null }
}

/** Stops as soon as it has the needed files. */
async function catalogOfArchive(
  source: AsyncIterable<Uint8Array>,
  into: RealFileSystem,
): Promise<SnapshotHead> {
  let head: SnapshotHead | null = null
  let missing = new Set<string>()
  for await (const { path, bytes, content } of readArchive(source)) {
    if (head === null) {
      if (path !== HEAD || bytes > HEAD_BYTES_MAX) {
        throw new ArchiveError('damaged', 'it is not a snapshot: it does not begin with a head')
      }
      head = decodeHead(await whole(content))
      missing = new Set(head.files.map((file) => file.path).filter(isOfCatalog))
    } else if (missing.delete(path)) {
      await write(into, path, content)
    }
    if (missing.size === 0) return head
  }
  throw new ArchiveError('damaged', 'it ends before its manifest')
}

async function write(
  fs: RealFileSystem,
  path: string,
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  const file = fs.open(path, 'create')
  try {
    let at = 0
    for await (const chunk of content) {
      file.write(at, chunk)
      at += chunk.length
    }
  } finally {
    file.close()
  }
}

async function whole(content: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of content) chunks.push(chunk)
  return Buffer.concat(chunks)
}
