// The identity of a database: a UUID in the file IDENTITY, by which the instances of a network and
// the writers of an object store know each other. Snapshots and dumps do not contain the file. It
// also names itself on its disk (inode, time of creation), so that a copy of the folder is noticed:
// the copied file is another one.
//
// Text: a line for each member, and a checksum line:
//
//   id 0190b0a0-…            a UUID of version 4
//   file 1835032 17642700…   its inode, and when it was created in nanoseconds
//   origin own               `restored`: the folder was filled from a snapshot, and not yet opened
//   crc32 5a6b7c8d           of the lines above
//
// A missing file stands for a new database, or one of a release without identities. A damaged file
// counts as a copy: the folder gets a new identity, and loses nothing else.
import { randomUUID } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { StorageError } from '../../model/index.ts'
import { type FileSystem, readFile, temporaryName } from '../storage/index.ts'
import { LINE_FILE_BYTES_MAX } from './limits.ts'
import { IDENTITY } from './names.ts'

/**
 * own: the identity belongs to this folder. copied: the folder is a copy, or was moved to another
 * disk. restored: the folder was filled with the data of another database.
 */
type IdentityOrigin = 'own' | 'copied' | 'restored'

type Stored = {
  readonly id: string
  readonly inode: bigint
  readonly created: bigint
  readonly isRestored: boolean
}

const TEXT = /^id ([0-9a-f-]{36})\nfile (\d{1,20}) (\d{1,20})\norigin (own|restored)\n$/
const CHECKSUM = /crc32 ([0-9a-f]{8})\n$/

export class InstanceIdentity {
  readonly #fs: FileSystem
  #process: string | null = null
  #id: string
  #origin: IdentityOrigin

  private constructor(fs: FileSystem, id: string, origin: IdentityOrigin) {
    this.#fs = fs
    this.#id = id
    this.#origin = origin
  }

  /** Reads the identity, or creates one. The caller holds the lock. @throws StorageError */
  static async open(fs: FileSystem): Promise<InstanceIdentity> {
    const identity = InstanceIdentity.read(fs)
    if (!fs.exists(IDENTITY)) await identity.confirm()
    return identity
  }

  /** Reads the identity, or draws one that is not stored. @throws StorageError */
  static read(fs: FileSystem): InstanceIdentity {
    if (!fs.exists(IDENTITY)) return new InstanceIdentity(fs, randomUUID(), 'own')
    const stored = read(fs)
    if (stored === null) return new InstanceIdentity(fs, randomUUID(), 'copied')
    const origin = stored.isRestored ? 'restored' : isInPlace(fs, stored) ? 'own' : 'copied'
    return new InstanceIdentity(fs, stored.id, origin)
  }

  get id(): string {
    return this.#id
  }

  get origin(): IdentityOrigin {
    return this.#origin
  }

  /** Drawn once after each start: two addresses that give the same one lead to one instance. */
  get process(): string {
    this.#process ??= randomUUID()
    return this.#process
  }

  /** Binds the identity to this folder. Durable when it resolves. @throws StorageError */
  async confirm(): Promise<void> {
    await writeIdentity(this.#fs, this.#id, 'own')
    this.#origin = 'own'
  }

  /** Replaces the identity of the original by a new one. Durable when it resolves. */
  async renew(): Promise<void> {
    this.#id = randomUUID()
    await this.confirm()
  }
}

/** @throws StorageError if there is an identity that cannot be read */
export function checkIdentity(fs: FileSystem): void {
  if (!fs.exists(IDENTITY) || read(fs) !== null) return
  const words = `\`${IDENTITY}\` is damaged: the next start draws a new identity`
  throw new StorageError('corrupt', IDENTITY, words)
}

/**
 * Marks the folder as filled with the data of another database: its next start gives up what
 * belongs to the other instance. `id`: the identity of the folder, if it had one before. Durable
 * when it resolves. @throws StorageError
 */
export const markRestored = (fs: FileSystem, id: string = randomUUID()): Promise<void> =>
  writeIdentity(fs, id, 'restored')

/** The file keeps its inode when it gets its name, so that it can name itself before. */
async function writeIdentity(
  fs: FileSystem,
  id: string,
  origin: 'own' | 'restored',
): Promise<void> {
  const aside = temporaryName(IDENTITY)
  if (fs.exists(aside)) await fs.removeAsync(aside)
  const file = await fs.openAsync(aside, 'create')
  try {
    const { inode, created } = file.stamp()
    await file.writeAsync(0, encoded(`id ${id}\nfile ${inode} ${created}\norigin ${origin}\n`))
    await file.syncAsync()
  } finally {
    file.close()
  }
  await fs.renameAsync(aside, IDENTITY)
  await fs.syncDirectoryAsync('')
}

/** Returns false if the file that names itself is another one. @throws StorageError */
function isInPlace(fs: FileSystem, stored: Stored): boolean {
  const file = fs.open(IDENTITY, 'read')
  try {
    const { inode, created, changed } = file.stamp()
    const isCreationKnown = created !== changed
    return inode === stored.inode && (created === stored.created || !isCreationKnown)
  } finally {
    file.close()
  }
}

/** Returns null for a damaged file. @throws StorageError */
function read(fs: FileSystem): Stored | null {
  const text = Buffer.from(readFile(fs, IDENTITY, LINE_FILE_BYTES_MAX)).toString()
  const body = text.replace(CHECKSUM, '')
  if (Buffer.from(encoded(body)).toString() !== text) return null
  const [, id, inode, created, origin] = TEXT.exec(body) ?? []
  if (id === undefined || inode === undefined || created === undefined) return null
  const isRestored = origin === 'restored'
  return { id, inode: BigInt(inode), created: BigInt(created), isRestored }
}

const encoded = (body: string): Uint8Array =>
  Buffer.from(`${body}crc32 ${crc32(body).toString(16).padStart(8, '0')}\n`)
