// `svc-tools db promote`: makes the database of a follower writable. It writes.
import { promoteFollower, RealFileSystem } from '../../engine/index.ts'
import { openDatabaseFolder } from '../inspect/index.ts'

export type PromoteResult = {
  readonly database: string
  /** The followed source, or null if the database already accepts writes. */
  readonly source: string | null
  /** The state that it has. */
  readonly snapshot: string | null
  /** RFC 3339. */
  readonly publishedAt: string | null
}

/** @throws ToolError, StorageError `locked`, `version`, `missing` */
export async function promoteDatabase(db: string, release: string): Promise<PromoteResult> {
  openDatabaseFolder(db)
  const following = await promoteFollower(new RealFileSystem(db), release)
  return {
    database: db,
    source: following?.source ?? null,
    snapshot: following?.snapshot ?? null,
    publishedAt: following?.publishedAt ?? null,
  }
}

export function promoteText({ database, source, publishedAt }: PromoteResult): string {
  if (source === null) return `${database} already accepts writes; there was nothing to do.\n`
  return (
    `${database} followed ${source} and accepts writes from now on.\n` +
    `It has the state published at ${publishedAt}. Start it without --follow, and make sure that\n` +
    'the instance that published it never publishes to the same place again.\n'
  )
}
