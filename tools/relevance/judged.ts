// Reads judged sets: queries with graded documents. The own form is one JSON file; the forms of
// BEIR (queries.jsonl, qrels TSV) and TREC (topics TSV, qrels) are two.
import { readFileSync } from 'node:fs'
import {
  anyObject,
  either,
  faultOf,
  isValid,
  list,
  mapOf,
  number,
  objectWith,
  open,
  type Schema,
  text,
} from '../../format/schema/index.ts'
import { ToolError, toolErrorOf } from '../terminal/index.ts'
import type { Grades } from './metrics.ts'

export type JudgedQuery = {
  readonly id: string
  readonly q: string
  /** At least one is above 0. */
  readonly grades: Grades
  /** Members of the search for this query only. */
  readonly search: { readonly [member: string]: unknown }
}

export type JudgedSet = {
  /** The index that the file names, or null. */
  readonly index: string | null
  readonly queries: readonly JudgedQuery[]
  /** Queries without a relevant document: they cannot be scored. */
  readonly omitted: readonly string[]
}

type Id = string | number
/** A query as it stands in a file; BEIR says `_id` and `text`. */
type Written = {
  readonly id?: Id
  readonly _id?: Id
  readonly q?: string
  readonly text?: string
  readonly relevant?: { readonly [document: string]: number } | readonly Id[]
  readonly search?: { readonly [member: string]: unknown }
}

const ID: Schema<Id> = either(text, number)
const QUERY: Schema<Written> = open(
  objectWith<Written>(
    {},
    {
      id: ID,
      _id: ID,
      q: text,
      text,
      relevant: either<[{ readonly [document: string]: number }, readonly Id[]]>(
        mapOf(number),
        list(ID),
      ),
      search: anyObject,
    },
  ),
)
type File = { readonly queries: readonly Written[]; readonly index?: string }
const FILE: Schema<File> = open(objectWith<File>({ queries: list(QUERY) }, { index: text }))

/** Doubles hold sums of two to this power. */
const GRADE_MAX = 1000
const EXAMPLE = '{"queries": [{"q": "red lamp", "relevant": {"17": 2, "4": 1}}]}'

/** `qrels`: a file of judgements, or null if the queries have their own. @throws ToolError */
export function readJudged(path: string, qrels: string | null): JudgedSet {
  const judgements = qrels === null ? null : qrelsOf(qrels)
  const { queries: written, index = null } = writtenSet(path)
  const all = written.map((query, i) => judgedQuery(query, i, path, judgements))
  const ids = new Set<string>()
  for (const { id } of all) {
    if (ids.has(id)) throw new ToolError(`two queries of \`${path}\` have the id \`${id}\``)
    ids.add(id)
  }
  const isScored = ({ grades }: JudgedQuery): boolean => [...grades.values()].some((g) => g > 0)
  const queries = all.filter(isScored)
  if (queries.length === 0) {
    const remedy = qrels === null ? `, for example ${EXAMPLE}; or add --qrels FILE` : ''
    throw new ToolError(
      `no query of \`${path}\` has a relevant document: grades are above 0${remedy}`,
    )
  }
  return { index, queries, omitted: all.filter((one) => !isScored(one)).map(({ id }) => id) }
}

function judgedQuery(
  written: Written,
  i: number,
  path: string,
  judgements: ReadonlyMap<string, Grades> | null,
): JudgedQuery {
  const id = String(written.id ?? written._id ?? i + 1)
  const q = written.q ?? written.text
  if (q === undefined) throw new ToolError(`query ${i + 1} of \`${path}\` has no member \`q\``)
  const grades = judgements?.get(id) ?? ownGrades(written.relevant ?? {})
  if ([...grades.values()].some((grade) => grade > GRADE_MAX)) {
    throw new ToolError(`query \`${id}\` of \`${path}\` has a grade above ${GRADE_MAX}`)
  }
  // TREC has negative grades for spam; they count as 0.
  const notNegative = new Map(
    [...grades].map(([document, grade]) => [document, Math.max(0, grade)]),
  )
  return { id, q, grades: notNegative, search: written.search ?? {} }
}

/** Documents of a list have the grade 1. */
const ownGrades = (relevant: NonNullable<Written['relevant']>): Grades =>
  Array.isArray(relevant)
    ? new Map((relevant as readonly Id[]).map((id) => [String(id), 1]))
    : new Map(Object.entries(relevant as { readonly [document: string]: number }))

/** The ending tells the form: .jsonl and .ndjson, .tsv, otherwise one JSON value. */
function writtenSet(path: string): File {
  const content = contentOf(path)
  if (/\.(?:jsonl|ndjson)$/i.test(path)) {
    const queries = linesOf(content).map(({ line, at }) => {
      const place = `line ${at} of \`${path}\``
      return checked(QUERY, parsedJson(line, place), place)
    })
    return { queries }
  }
  if (/\.tsv$/i.test(path)) {
    const queries = linesOf(content).map(({ line, at }) => {
      const [id = '', q] = line.split('\t')
      if (q === undefined) throw new ToolError(`line ${at} of \`${path}\` is not \`id<tab>query\``)
      return { id, q }
    })
    return { queries }
  }
  const value = parsedJson(content, `\`${path}\``)
  if (Array.isArray(value)) return { queries: checked(list(QUERY), value, `\`${path}\``) }
  return checked(FILE, value, `\`${path}\``)
}

/** Columns of BEIR: query, document, grade, below a title; of TREC: query, 0, document, grade. */
function qrelsOf(path: string): ReadonlyMap<string, Grades> {
  const grades = new Map<string, Map<string, number>>()
  for (const { line, at } of linesOf(contentOf(path))) {
    const cells = line.trim().split(line.includes('\t') ? '\t' : /\s+/)
    const [query = '', ...others] = cells
    const [document, grade] = cells.length === 4 ? others.slice(1) : others
    if (at === 1 && Number.isNaN(Number(grade))) continue
    if (document === undefined || grade === undefined || !Number.isFinite(Number(grade))) {
      throw new ToolError(
        `line ${at} of \`${path}\` is not a judgement: expected query, document and grade (BEIR), ` +
          'or query, 0, document and grade (TREC)',
      )
    }
    const ofQuery = grades.get(query) ?? new Map<string, number>()
    grades.set(query, ofQuery.set(document, Number(grade)))
  }
  return grades
}

function checked<T>(schema: Schema<T>, value: unknown, place: string): T {
  if (isValid(schema, value)) return value
  const fault = faultOf(schema, value)
  const at = fault === null || fault.path === '' ? '' : ` at ${fault.path}`
  throw new ToolError(`${place} is not a judged set: expected ${fault?.expected ?? EXAMPLE}${at}`)
}

function parsedJson(content: string, place: string): unknown {
  try {
    return JSON.parse(content)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new ToolError(`${place} is not JSON: ${error.message}`)
  }
}

const linesOf = (content: string) =>
  content
    .split(/\r?\n/)
    .map((line, i) => ({ line, at: i + 1 }))
    .filter(({ line }) => line.trim() !== '')

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/^\ufeff/, '')
  } catch (error) {
    // System errors: the file is missing, not readable, or a folder.
    throw toolErrorOf(Object.assign(error as Error, { path })) ?? error
  }
}
