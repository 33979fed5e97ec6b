// Chooses the state that a follower serves next. States are ordered by term and number, so a store
// that returns an old list, or an old record, changes nothing.
import { compareText } from '../../../format/bytes/index.ts'
import {
  type HeadRef,
  heads,
  isValidHead,
  readWriter,
  type UnreadableHeads,
  type WriterRecord,
} from '../../backup/objstore/index.ts'
import type { Source } from './download.ts'
import type { FollowOptions } from './options.ts'
import type { Following } from './record.ts'

/**
 * Returns the newest state of a place, or the current one if the store shows none that is newer.
 * Returns null if the place has no state. @throws EngineFault, ArchiveError
 */
export async function newestState(
  { bucket, place }: Source,
  unreadable: UnreadableHeads,
  current: Pick<Following, 'snapshot'> | null,
  say: FollowOptions['say'],
): Promise<HeadRef | null> {
  const record = await readWriter(bucket, place, unreadable)
  const newest =
    record?.head == null
      ? await newestListed({ bucket, place }, unreadable, current, record)
      : ({ name: record.head, kind: 'published' } as const)
  if (newest === null || current === null) return newest
  const { snapshot } = current
  if (compareText(newest.name, snapshot) >= 0) return newest
  for (const kind of ['published', 'snapshots'] as const) {
    const ref = { name: snapshot, kind }
    if (record !== null && !isValidHead(record, ref)) continue
    if (await heads.exists(bucket, place, ref)) return ref
  }
  say('warn', `The store no longer has the state ${snapshot}: follows ${newest.name}.`)
  return newest
}

/** Heads that cannot be read are skipped. The current one is not read again. */
async function newestListed(
  { bucket, place }: Source,
  unreadable: UnreadableHeads,
  current: Pick<Following, 'snapshot'> | null,
  record: WriterRecord | null,
): Promise<HeadRef | null> {
  const all = await heads.all(bucket, place)
  const valid = record === null ? all : all.filter((ref) => isValidHead(record, ref))
  const known = valid.find(({ name }) => name === current?.snapshot)
  const later = known === undefined ? valid : valid.slice(valid.indexOf(known) + 1)
  const newer = await heads.newest(bucket, place, later, unreadable)
  return newer ?? known ?? null
}
