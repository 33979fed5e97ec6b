// Locates a snapshot: a file, or an object in the store that the server's options configure.
import { type Stats, statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { type Bucket, openBucket, type StorePlace } from '../../engine/backup.ts'
import { RealFileSystem } from '../../engine/index.ts'
import { ToolError } from '../terminal/index.ts'

/** Prefix of a name in the object store; alone, it means the newest snapshot. */
export const IN_STORE = 'objstore:'

export type FileSource = {
  readonly kind: 'file'
  readonly path: string
  readonly folder: RealFileSystem
  readonly name: string
  readonly bytes: number
}

export type StoreSource = {
  readonly kind: 'store'
  readonly bucket: Bucket
  readonly place: StorePlace
  /** null means the newest. */
  readonly name: string | null
}

/** @throws ToolError, and errors of the store */
export async function openSource(what: string): Promise<FileSource | StoreSource> {
  if (what.startsWith(IN_STORE)) return openStore(what.slice(IN_STORE.length))
  const path = resolve(what)
  const found = statOf(path)
  if (found === null) throw new ToolError(`there is no file \`${what}\``)
  if (!found.isFile()) throw new ToolError(`\`${what}\` is not a file`)
  const folder = new RealFileSystem(dirname(path))
  return { kind: 'file', path, folder, name: basename(path), bytes: found.size }
}

/** Opens the store of the environment and the configuration file, like a server on this machine. */
async function openStore(name: string): Promise<StoreSource> {
  const { LaunchError, readConfig } = await import('../../server/config/index.ts')
  const { storeOptions } = await import('../../server/outbound/index.ts')
  const config = await readConfig(new Map(), process.env).catch((error: unknown) => {
    throw error instanceof LaunchError ? new ToolError(error.message) : error
  })
  const store = storeOptions(config)
  if (store === null) {
    const names = 'SVC_OBJSTORE_BUCKET_URL and the options that it needs'
    throw new ToolError(`no object store is configured: set ${names}, or ./config.toml`)
  }
  const bucket = await openBucket(store, new AbortController().signal)
  return { kind: 'store', bucket, place: store.place, name: name === '' ? null : name }
}

export const statOf = (path: string): Stats | null =>
  statSync(path, { throwIfNoEntry: false }) ?? null
