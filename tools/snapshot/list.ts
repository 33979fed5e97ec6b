// `svc-tools snapshot list`: lists the snapshots in a folder or in a store.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import {
  ArchiveError,
  archiveKey,
  type HeadRef,
  heads,
  objectsOf,
  type SnapshotHead,
} from '../../engine/backup.ts'
import { bytesText, countOf, ToolError, table } from '../terminal/index.ts'
import { readCatalog } from './catalog.ts'
import { IN_STORE, openSource, type StoreSource, statOf } from './source.ts'

export type ListedSnapshot = {
  /** The name for other commands and `--import-snapshot`. */
  readonly name: string
  readonly createdAt: string | null
  readonly version: string | null
  readonly files: number
  /** Size of the database. */
  readonly bytes: number
  /**
   * Bytes used by this snapshot alone: the whole archive, or the files that older snapshots do not
   * have. 0 for a further name of a file.
   */
  readonly ownBytes: number
  readonly problem: string | null
}

/**
 * Returns the oldest first, by their names. `where`: a folder, or `objstore:`. @throws ToolError
 */
export async function listSnapshots(where: string): Promise<readonly ListedSnapshot[]> {
  if (!where.startsWith(IN_STORE)) return listFolder(where)
  const source = await openSource(IN_STORE)
  if (source.kind !== 'store') throw new ToolError('the store is named `objstore:`')
  return listStore(source)
}

async function listFolder(folder: string): Promise<readonly ListedSnapshot[]> {
  if (statOf(folder)?.isDirectory() !== true) {
    throw new ToolError(`there is no folder \`${folder}\`: name one, or \`${IN_STORE}\``)
  }
  const names = readdirSync(folder).filter((name) => name.endsWith('.snapshot'))
  const listed: ListedSnapshot[] = []
  const seen = new Set<string>()
  for (const name of names.sort()) {
    const path = join(folder, name)
    const found = statSync(path, { bigint: true, throwIfNoEntry: false })
    if (found?.isFile() !== true) continue
    const identity = `${found.dev} ${found.ino}`
    const snapshot = await ofFile(path)
    listed.push(seen.has(identity) ? { ...snapshot, ownBytes: 0 } : snapshot)
    seen.add(identity)
  }
  return listed
}

async function ofFile(path: string): Promise<ListedSnapshot> {
  const own = statOf(path)?.size ?? 0
  try {
    const { head } = await readCatalog(await openSource(path))
    const { createdAt, version, files } = head
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
    return {
      name: path,
      createdAt,
      version,
      files: files.length,
      bytes,
      ownBytes: own,
      problem: null,
    }
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error
    return { ...UNREADABLE, name: path, ownBytes: own, problem: error.message }
  }
}

async function listStore({ bucket, place }: StoreSource): Promise<readonly ListedSnapshot[]> {
  const listed: ListedSnapshot[] = []
  const archive = await bucket.size(archiveKey(place))
  if (archive !== null) {
    listed.push({
      name: archiveKey(place),
      createdAt: null,
      version: null,
      files: 1,
      bytes: archive,
      ownBytes: archive,
      problem: null,
    })
  }
  const held = new Set<string>()
  for (const ref of await heads.all(bucket, place)) {
    const name = `${IN_STORE}${ref.name}`
    const head = await readHead(bucket, place, ref)
    if (head instanceof ArchiveError) {
      listed.push({ ...UNREADABLE, name, problem: head.message })
      continue
    }
    const { createdAt, version, files } = head
    const objects = files.flatMap((file) => objectsOf(place, file))
    const own = objects.filter(({ key }) => !held.has(key))
    for (const { key } of objects) held.add(key)
    const sum = (list: readonly { readonly bytes: number }[]): number =>
      list.reduce((bytes, file) => bytes + file.bytes, 0)
    listed.push({
      name,
      createdAt,
      version,
      files: files.length,
      bytes: sum(files),
      ownBytes: sum(own),
      problem: null,
    })
  }
  return listed
}

const UNREADABLE = { createdAt: null, version: null, files: 0, bytes: 0, ownBytes: 0 } as const

/** Returns the error of a head that cannot be read. */
async function readHead(
  bucket: StoreSource['bucket'],
  place: StoreSource['place'],
  ref: HeadRef,
): Promise<SnapshotHead | ArchiveError> {
  try {
    return await heads.read(bucket, place, ref)
  } catch (error) {
    if (error instanceof ArchiveError) return error
    throw error
  }
}

export function listText(listed: readonly ListedSnapshot[]): string {
  if (listed.length === 0) return 'There are no snapshots.\n'
  const rows = listed.map(({ name, createdAt, version, bytes, ownBytes, problem }) => [
    name,
    createdAt ?? '–',
    version ?? '–',
    bytesText(bytes),
    bytesText(ownBytes),
    problem ?? '',
  ])
  const right = 'right' as const
  const columns = [
    { title: 'snapshot' },
    { title: 'made' },
    { title: 'release' },
    { title: 'database', align: right },
    { title: 'of its own', align: right },
    { title: '' },
  ]
  const total = listed.reduce((sum, { ownBytes }) => sum + ownBytes, 0)
  return `${table(columns, rows)}\n${countOf(listed.length, 'snapshot')}, ${bytesText(total)}\n`
}
