// Loads the sections of a built site into a server, and makes the key that the site may contain.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type EnqueuedTask, Meilisearch, MeilisearchApiError } from 'meilisearch'
import { ToolError } from '../../../tools/terminal/index.ts'
import type { SiteSearch } from '../site.ts'
import { SECTIONS_FILE, SETTINGS_FILE } from './build.ts'
import { INDEX } from './settings.table.ts'

/** Searches use the old sections until all of the new ones are in this index. */
const NEXT = `${INDEX}-next`
/** A key with the same uid is the same key as long as the master key does not change. */
const KEY_UID = 'b9a4f6de-6c1f-4c0e-9f0e-5d0c5ea7c001'

/**
 * `key`: may write and make keys, or null for a server without keys. Returns the server with a key
 * that may only search the sections. @throws ToolError if a task fails, MeilisearchError if the server
 * refuses a request or does not answer
 */
export async function loadSections(
  folder: string,
  url: string,
  key: string | null,
): Promise<SiteSearch> {
  const client = new Meilisearch({ host: url, ...(key === null ? {} : { apiKey: key }) })
  const end = async (sent: Promise<EnqueuedTask>, allowed = ''): Promise<void> => {
    const { error } = await client.tasks.waitForTask((await sent).taskUid, { timeout: 0 })
    if (error && error.code !== allowed) throw new ToolError(error.message)
  }
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8')
  const next = client.index(NEXT)
  await end(client.deleteIndex(NEXT), 'index_not_found')
  await end(client.createIndex(INDEX, { primaryKey: 'id' }), 'index_already_exists')
  await end(client.createIndex(NEXT, { primaryKey: 'id' }))
  await end(next.updateSettings(JSON.parse(read(SETTINGS_FILE))))
  await end(next.addDocumentsFromString(read(SECTIONS_FILE), 'application/x-ndjson'))
  await end(client.swapIndexes([{ indexes: [INDEX, NEXT], rename: false }]))
  await end(client.deleteIndex(NEXT))
  return { url, key: key === null ? null : await searchKey(client) }
}

async function searchKey(client: Meilisearch): Promise<string> {
  try {
    return (await client.getKey(KEY_UID)).key
  } catch (error) {
    const isAbsent =
      error instanceof MeilisearchApiError && error.cause?.code === 'api_key_not_found'
    if (!isAbsent) throw error
  }
  const made = await client.createKey({
    uid: KEY_UID,
    name: 'Search of the documentation',
    actions: ['search'],
    indexes: [INDEX],
    expiresAt: null,
  })
  return made.key
}
