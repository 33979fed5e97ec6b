// An explained search as text for people.
import type {
  Explained,
  ExplainedNode,
  ExplainedOpening,
  ExplainedWords,
} from '../../engine/inspect.ts'
import { countOf, countText, shorten, table } from '../terminal/index.ts'

const TEXT_CHARACTERS_MAX = 60
const BUCKETS_IN_LINE_MAX = 12
const OPENINGS_SHOWN_MAX = 40

export function explainText(explained: Explained): string {
  const { index, query, documents, filtered, found, degraded } = explained
  const late = degraded ? ', cut short by its time limit' : ''
  const head =
    `${index}: ${quoted(query ?? '')} · ${countOf(documents, 'document')}, ` +
    `${countText(filtered)} pass the filter, ${countText(found)} found${late}\n`
  return [
    head,
    graphText(explained),
    wordsText(explained.nodes),
    rulesText(explained),
    hitsText(explained),
    stagesText(explained),
  ].join('')
}

const quoted = (text: string): string => `"${shorten(text, TEXT_CHARACTERS_MAX)}"`
const msText = (ms: number): string => `${ms.toFixed(ms < 10 ? 2 : 0)} ms`
const left = (title: string) => ({ title })
const right = (title: string) => ({ title, align: 'right' as const })

function graphText({ nodes, start, negative }: Explained): string {
  if (nodes.length === 0) return '\nno words: documents are ordered by values only\n'
  const end = nodes[nodes.length - 1]!.node + 1
  const targets = (next: readonly number[]): string =>
    next.map((node) => (node >= end ? 'end' : String(node))).join(' ')
  const rows = nodes.map((node) => [
    String(node.node),
    node.kind,
    quoted(node.text) + (node.isPrefix ? '…' : ''),
    node.from === node.to ? String(node.from) : `${node.from}–${node.to}`,
    String(node.typosMax),
    targets(node.next),
  ])
  const columns = ['node', 'is a', 'text', 'words', 'typos', 'leads to'].map(left)
  const without = negative.length === 0 ? '' : `  without: ${negative.map(quoted).join(', ')}\n`
  return `\ngraph, from ${targets(start)}\n${table(columns, rows)}${without}`
}

function wordsText(nodes: readonly ExplainedNode[]): string {
  const lines = nodes.flatMap((node) => [
    `  ${quoted(node.text)}: ${countOf(node.documents, 'document')} as typed`,
    ...derivations(node).map((line) => `    ${line}`),
  ])
  return lines.length === 0 ? '' : `\nderivations\n${lines.join('\n')}\n`
}

function derivations(node: ExplainedNode): string[] {
  const lines: string[] = []
  if (node.exact !== null) lines.push(`the word itself (${countText(node.exact)})`)
  if (node.wholePrefix) lines.push('every word with this prefix, as a whole')
  addWords(lines, 'with this prefix', node.prefixWords)
  if (node.synonyms.length > 0) lines.push(`synonyms: ${node.synonyms.map(quoted).join(', ')}`)
  addWords(lines, 'one typo', node.oneTypo)
  if (node.splits.length > 0) lines.push(`split: ${node.splits.map(quoted).join(', ')}`)
  if (node.parts.length > 0) lines.push(`part of a word: ${node.parts.map(quoted).join(', ')}`)
  if (node.stems.length > 0) lines.push(`same stem: ${node.stems.map(quoted).join(', ')}`)
  addWords(lines, 'two typos', node.twoTypos)
  if (node.within !== null) lines.push(`inside of words: ${countOf(node.within, 'document')}`)
  const hasTypos = node.oneTypo !== null
  if (!hasTypos && node.kind !== 'phrase') lines.push('words with typos were not searched')
  return lines
}

function addWords(lines: string[], what: string, words: ExplainedWords | null): void {
  if (words === null || words.count === 0) return
  const named = words.words.map(({ word, documents }) => `${shorten(word, 30)} ${documents}`)
  const more = words.count > named.length ? ', …' : ''
  lines.push(`${what}, ${countOf(words.count, 'word')}: ${named.join(', ')}${more}`)
}

function rulesText({ rules, openings, openingsLeftOut }: Explained): string {
  if (rules.length === 0) return '\nno rules: documents are in order of id\n'
  const rows = rules.map(({ rule, openings, buckets, ms }) => [
    rule,
    countText(openings),
    countText(buckets),
    msText(ms),
  ])
  const columns = [left('rule'), right('calls'), right('buckets'), right('time')]
  const shown = openings.slice(0, OPENINGS_SHOWN_MAX)
  const leftOut = openings.length - shown.length + openingsLeftOut
  const more = leftOut === 0 ? '' : `  … and ${countText(leftOut)} more\n`
  return `\nrules\n${table(columns, rows)}\nbuckets\n${shown.map(openingText).join('')}${more}`
}

function openingText({ depth, rule, documents, buckets }: ExplainedOpening): string {
  const sizes = buckets.slice(0, BUCKETS_IN_LINE_MAX).map((bucket) => countText(bucket.documents))
  const more = buckets.length > sizes.length ? ' …' : ''
  const made = sizes.length === 0 ? 'none' : sizes.join(' | ')
  return `${'  '.repeat(depth + 1)}${rule} of ${countText(documents)}: ${made}${more}\n`
}

function hitsText({ hits }: Explained): string {
  const shown = hits.slice(0, BUCKETS_IN_LINE_MAX).map(({ document, score }) => {
    const points = score === null ? '' : ` (${score.toFixed(4)})`
    return `${shorten(document, 30)}${points}`
  })
  const more = hits.length > shown.length ? ', …' : ''
  return hits.length === 0 ? '\nno hits\n' : `\nhits: ${shown.join(', ')}${more}\n`
}

const stagesText = ({ stages }: Explained): string =>
  `\nstages\n${table(
    [left('stage'), right('time')],
    stages.map(({ stage, ms }) => [stage, msText(ms)]),
  )}`
