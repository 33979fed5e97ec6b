// Backups: a dump and a snapshot are created, verified and restored, and a dump of another server
// is imported.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MASTER_KEY } from './first-steps.ts'
import { finished, type Place, type Server } from './place.ts'
import type { Report } from './report.ts'
import { DUMPED_INDEX, smallDump } from './small-dump.ts'

const KEYED = { SVC_MASTER_KEY: MASTER_KEY }
const HEAT = { method: 'POST', path: '/indexes/films/search', body: '{"q": "heat"}' } as const

export async function backups(place: Place, report: Report): Promise<void> {
  report.chapter('Backups')
  const server = await place.start('svc-server', [], KEYED)
  for (const path of ['/dumps', '/snapshots']) {
    const accepted = await server.call({ method: 'POST', path, key: MASTER_KEY })
    report.check(`POST ${path}`, await finished(server, accepted, MASTER_KEY), {
      code: 200,
      says: ['succeeded'],
    })
  }
  await server.stop()
  const [dump = ''] = readdirSync(place.path('dumps'))
  const dumpFile = join('dumps', dump)
  const snapshotFile = join('snapshots', 'data.ms.snapshot')
  const tools = (...words: readonly string[]) => place.run('svc-tools', words)
  report.check('dump verify', await tools('dump', 'verify', dumpFile), {
    code: 0,
    says: ['is sound', '4 documents'],
  })
  report.check('snapshot verify', await tools('snapshot', 'verify', snapshotFile), { code: 0 })
  await restore(place, report, 'the dump', ['--import-dump', dumpFile])
  await restore(place, report, 'the snapshot', ['--import-snapshot', snapshotFile])
  const again = ['--http-addr', '127.0.0.1:0', '--import-snapshot', snapshotFile]
  report.check('a restore over a database', await place.run('svc-server', again, KEYED), {
    code: 1,
    says: ['data.ms'],
  })
}

/** Restores into a separate database and checks documents, settings and keys. */
async function restore(
  place: Place,
  report: Report,
  what: string,
  words: readonly string[],
): Promise<void> {
  const db = `restored-${words[0]!.slice(2)}.ms`
  const server = await place.start('svc-server', ['--db-path', db, ...words], KEYED)
  report.check(
    `${what}, restored, has the documents`,
    await server.call({ ...HEAT, key: MASTER_KEY }),
    {
      code: 200,
      says: ['"title":"Heat"'],
    },
  )
  const settings = await server.call({ path: '/indexes/films/settings', key: MASTER_KEY })
  report.check(`${what}, restored, has the settings`, settings, {
    code: 200,
    says: ['"stopWords":["the"]', '"genres"'],
  })
  await server.stop()
  report.check(`${what}, restored, is sound`, await place.run('svc-tools', ['db', 'check', db]), {
    code: 0,
    says: ['is sound'],
  })
}

/**
 * Imports dumps of Meilisearch. `recorded`: a dump of a real server, or null if none is present.
 */
export async function migration(
  place: Place,
  report: Report,
  recorded: string | null,
): Promise<void> {
  report.chapter('Migration from a dump')
  place.write('made.dump', await smallDump())
  await migrate(place, report, 'made.dump', DUMPED_INDEX)
  if (recorded === null || !existsSync(recorded)) return
  place.write('recorded.dump', readFileSync(recorded))
  await migrate(place, report, 'recorded.dump', null)
}

/** Imports one dump. `index`: the uid of an index that must exist afterwards, or null for any. */
async function migrate(
  place: Place,
  report: Report,
  file: string,
  index: string | null,
): Promise<void> {
  const inspected = await place.run('svc-tools', ['dump', 'inspect', file])
  report.check(`${file}: dump inspect`, inspected, { code: 0, says: ['dump V6', ...named(index)] })
  const db = `${file}.ms`
  const server = await place.start('svc-server', ['--db-path', db, '--import-dump', file], KEYED)
  const stats = await server.call({ path: '/stats', key: MASTER_KEY })
  report.check(`${file}: its indexes are there`, stats, {
    code: 200,
    says: [/"numberOfDocuments":[1-9]/, ...named(index)],
  })
  report.holds(`${file}: its documents are found`, await isSearchable(server), stats.text)
  report.check(`${file}: the server stops`, await server.stop(), { code: 0 })
}

const named = (index: string | null): readonly string[] => (index === null ? [] : [index])

/** Returns whether a search in each index finds all its documents. */
async function isSearchable(server: Server): Promise<boolean> {
  const { text } = await server.call({ path: '/stats', key: MASTER_KEY })
  const { indexes } = JSON.parse(text) as {
    readonly indexes: { readonly [uid: string]: { readonly numberOfDocuments: number } }
  }
  for (const [uid, { numberOfDocuments }] of Object.entries(indexes)) {
    const found = await server.call({
      method: 'POST',
      path: `/indexes/${uid}/search`,
      body: '{"hitsPerPage": 1}',
      key: MASTER_KEY,
    })
    const { totalHits } = JSON.parse(found.text) as { readonly totalHits?: number }
    if (totalHits !== numberOfDocuments) return false
  }
  return true
}
