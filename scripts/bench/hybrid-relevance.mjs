// Measures the quality of hybrid search on a judged collection: nDCG@10 by semantic ratio.
//
// node scripts/bench/hybrid-relevance.mjs --datasets FOLDER [--collection cranfield]
//
// The folder holds NAME.ndjson.gz, judged/NAME.queries.json, judged/NAME.qrels.tsv and
// vectors/NAME.{f32.npy,queries.f32.npy,meta.json}.gz. The server is dist/server/main.js.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { gunzipSync } from 'node:zlib'

const RATIOS = [0, 0.25, 0.5, 0.75, 1]
const STRATEGIES = ['last', 'frequency']
const PORT = 7700 + (process.pid % 200)

const { values: given } = parseArgs({
  options: {
    datasets: { type: 'string' },
    collection: { type: 'string', default: 'cranfield' },
  },
})
const at = (...path) => join(given.datasets, ...path)
const unzipped = (...path) => gunzipSync(readFileSync(at(...path)))

/** The rows of a NumPy array of 32-bit floats. */
function rowsOf(name) {
  const bytes = unzipped('vectors', name)
  const head = 10 + bytes.readUInt16LE(8)
  const width = Number(/\(\d+, (\d+)\)/.exec(bytes.toString('latin1', 10, head))[1])
  const numbers = new Float32Array(bytes.buffer.slice(bytes.byteOffset + head))
  return { width, row: (i) => [...numbers.subarray(i * width, (i + 1) * width)] }
}

async function ask(method, path, body) {
  const answer = await fetch(`http://127.0.0.1:${PORT}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const found = await answer.json()
  if (answer.status >= 400) throw new Error(JSON.stringify(found))
  return found
}

async function done({ taskUid }) {
  for (;;) {
    const task = await ask('GET', `/tasks/${taskUid}`)
    if (task.status === 'succeeded') return
    if (task.status === 'failed') throw new Error(JSON.stringify(task.error))
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function listening() {
  for (let tries = 0; tries < 200; tries++) {
    const isUp = await ask('GET', '/health').then(
      () => true,
      () => false,
    )
    if (isUp) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('the server does not answer')
}

/** The gain of a grade: the grade itself, or two to its power. Both are in use. */
const GAINS = [(grade) => grade, (grade) => 2 ** grade - 1]

const dcg = (grades, gain) =>
  grades.slice(0, 10).reduce((sum, grade, i) => sum + gain(grade) / Math.log2(i + 2), 0)

function ndcg(hits, grades, gain) {
  const best = [...grades.values()].sort((a, b) => b - a)
  const ideal = dcg(best, gain)
  if (ideal === 0) return 0
  const found = hits.map(({ id }) => grades.get(String(id)) ?? 0)
  return dcg(found, gain) / ideal
}

function gradesByQuery(name) {
  const grades = new Map()
  const [, ...lines] = readFileSync(at('judged', `${name}.qrels.tsv`), 'utf8')
    .trim()
    .split('\n')
  for (const line of lines) {
    const [query, document, grade] = line.split('\t')
    if (!grades.has(query)) grades.set(query, new Map())
    grades.get(query).set(document, Number(grade))
  }
  return grades
}

async function index(name) {
  const vectors = rowsOf(`${name}.f32.npy.gz`)
  const meta = JSON.parse(unzipped('vectors', `${name}.meta.json.gz`))
  const rows = new Map(meta.ids.map((id, i) => [String(id), i]))
  const { [name]: known = {} } = JSON.parse(readFileSync(at('settings.json'), 'utf8'))
  const embedders = { m: { source: 'userProvided', dimensions: vectors.width } }
  await done(await ask('POST', '/indexes', { uid: 'c', primaryKey: 'id' }))
  await done(await ask('PATCH', '/indexes/c/settings', { ...known.settings, embedders }))
  const lines = unzipped(`${name}.ndjson.gz`).toString().trim().split('\n')
  const documents = lines.map((line) => {
    const document = JSON.parse(line)
    const row = rows.get(String(document.id))
    return { ...document, _vectors: { m: row === undefined ? null : vectors.row(row) } }
  })
  await done(await ask('POST', '/indexes/c/documents', documents))
}

async function judge(name) {
  const grades = gradesByQuery(name)
  const { queries } = JSON.parse(readFileSync(at('judged', `${name}.queries.json`), 'utf8'))
  const vectors = rowsOf(`${name}.queries.f32.npy.gz`)
  const judged = queries.flatMap((query, i) => (grades.has(query.id) ? [{ ...query, i }] : []))
  for (const matchingStrategy of STRATEGIES) {
    for (const semanticRatio of RATIOS) {
      const sums = GAINS.map(() => 0)
      for (const { id, text, i } of judged) {
        const { hits } = await ask('POST', '/indexes/c/search', {
          q: text,
          vector: vectors.row(i),
          hybrid: { embedder: 'm', semanticRatio },
          matchingStrategy,
          limit: 10,
          attributesToRetrieve: ['id'],
        })
        GAINS.forEach((gain, g) => {
          sums[g] += ndcg(hits, grades.get(id), gain)
        })
      }
      const [plain, powers] = sums.map((sum) => (sum / judged.length).toFixed(3))
      const asked = `${name}  ${matchingStrategy.padEnd(9)}  ratio ${semanticRatio}`
      console.log(`${asked}  nDCG@10 ${plain} (gains 2^grade − 1: ${powers})`)
    }
  }
}

const folder = mkdtempSync(join(tmpdir(), 'relevance-'))
const args = ['dist/server/main.js', '--db-path', join(folder, 'db')]
const server = spawn(process.execPath, [...args, '--http-addr', `127.0.0.1:${PORT}`], {
  stdio: 'ignore',
})
try {
  await listening()
  await index(given.collection)
  await judge(given.collection)
} finally {
  const ended = new Promise((resolve) => server.once('exit', resolve))
  server.kill()
  await ended
  rmSync(folder, { recursive: true })
}
