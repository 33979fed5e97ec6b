// A search that tells what it did: what the query was taken to mean, what each of its words was
// found to stand for, which buckets each rule made, what took how long. The same steps as
// `execute.ts`, on the same parts; what it tells is plain data.
import type { IdSet } from '../../../format/idset/index.ts'
import { JsonBuffer } from '../../../format/json/index.ts'
import type { Features, SearchRequest } from '../../model/index.ts'
import type { ViewRef } from '../../store/views/index.ts'
import type { GraphNode, Phrase, QueryGraph, Term } from '../query/index.ts'
import type { BucketSource, RankingRule, ScoreDetail } from '../rank/index.ts'
import { globalScore } from '../rank/index.ts'
import type { SegmentCache, Word } from '../segments/index.ts'
import { facetFields, facetsOf } from './facets.ts'
import { HitWriter } from './hits.ts'
import { KeywordRetriever, readQuery } from './keywords.ts'
import { windowOf } from './pagination.ts'
import { controlOf, prepare } from './prepare.ts'
import { SearchableView } from './searchable-view.ts'

/** Words of a list that are named; the rest is counted. */
const WORDS_SHOWN_MAX = 20
/** Sets of documents that a rule was opened on and that are told in full; the rest is summed up. */
const OPENINGS_SHOWN_MAX = 200
const BUCKETS_SHOWN_MAX = 50

export type ExplainedWords = {
  readonly count: number
  /** The first of them, with the documents they are in. */
  readonly words: readonly { readonly word: string; readonly documents: number }[]
}

/** What one node of the graph was looked up as; null: the search had no reason to. */
export type ExplainedNode = {
  readonly node: number
  readonly kind: 'word' | 'ngram' | 'phrase'
  readonly text: string
  readonly isPrefix: boolean
  readonly typosMax: number
  /** Words of the query it stands for, inclusive. */
  readonly from: number
  readonly to: number
  /** Nodes that may follow it; as many as there are nodes: the end. */
  readonly next: readonly number[]
  /** Documents that match it as it was typed: by itself, as a prefix, by a synonym. */
  readonly documents: number
  readonly exact: number | null
  readonly prefixWords: ExplainedWords
  /** A prefix so common that it is taken as a whole. */
  readonly wholePrefix: boolean
  readonly synonyms: readonly string[]
  readonly oneTypo: ExplainedWords | null
  readonly split: string | null
  readonly twoTypos: ExplainedWords | null
}

type ExplainedBucket = {
  readonly documents: number
  readonly score: ScoreDetail
  readonly ms: number
}

/** A rule at work on a set of documents that the rules before it hold for equal. */
export type ExplainedOpening = {
  /** Rules before it. */
  readonly depth: number
  readonly rule: string
  readonly documents: number
  readonly buckets: readonly ExplainedBucket[]
}

type ExplainedRule = {
  readonly rule: string
  readonly openings: number
  readonly buckets: number
  readonly ms: number
}

export type Explained = {
  readonly index: string
  readonly query: string | null
  readonly documents: number
  /** Those that pass the filter. */
  readonly filtered: number
  readonly found: number
  readonly degraded: boolean
  readonly start: readonly number[]
  readonly nodes: readonly ExplainedNode[]
  readonly negative: readonly string[]
  readonly rules: readonly ExplainedRule[]
  readonly openings: readonly ExplainedOpening[]
  /** Openings that are summed up in `rules` alone. */
  readonly openingsLeftOut: number
  readonly hits: readonly { readonly document: string; readonly score: number | null }[]
  readonly stages: readonly { readonly stage: string; readonly ms: number }[]
}

/** Searches and tells. @throws EngineFault, StorageError */
export function explainSearch(
  ref: ViewRef,
  cache: SegmentCache,
  request: SearchRequest,
  features: Features,
): Explained {
  const times = new StageTimes()
  const view = new SearchableView(ref, cache, null)
  const documents = view.view.live().size
  times.done('open')
  const control = controlOf(view, () => false)
  const { sort, scope, distinctField, universe } = prepare(view, request, features, control)
  times.done('filter')
  const query = readQuery(view, request, scope)
  times.done('query')
  const trace = new RuleTrace()
  const withScores = request.showRankingScore || request.showRankingScoreDetails
  const retriever = new KeywordRetriever(view, request, query, {
    sort,
    distinctField,
    withScores,
    control,
    watch: (rules) => rules.map((rule, depth) => trace.watched(rule, depth)),
  })
  const window = windowOf(request, view.settings.pagination.maxTotalHits)
  const ranking = retriever.retrieve(universe, window)
  times.done('rank')
  const asked = request.facets ?? []
  if (asked.length > 0) facetsOf(view, facetFields(view, asked), ranking.candidates, control)
  times.done('facets')
  const out = new JsonBuffer(4096)
  const writer = new HitWriter(view, request, sort, query.graph)
  for (const hit of ranking.hits) writer.write(hit, out, null)
  times.done('format hits')
  const decoder = new TextDecoder()
  return {
    index: ref.uid,
    query: request.q,
    documents,
    filtered: universe.size,
    found: ranking.candidates.size,
    degraded: ranking.degraded,
    start: query.graph?.start ?? [],
    nodes: query.graph === null ? [] : explainNodes(query.graph),
    negative: [
      ...query.parsed.negativeWords,
      ...query.parsed.negativePhrases.map((words) => phraseText({ words, key: '' })),
    ],
    ...trace.told(),
    hits: ranking.hits.map(({ id, scores }) => ({
      document: decoder.decode(view.view.externalId(id) ?? new Uint8Array(0)),
      score: withScores ? globalScore(scores) : null,
    })),
    stages: times.stages,
  }
}

class StageTimes {
  readonly stages: { readonly stage: string; readonly ms: number }[] = []
  #since = performance.now()

  done(stage: string): void {
    const now = performance.now()
    this.stages.push({ stage, ms: now - this.#since })
    this.#since = now
  }
}

/** Watches rules make buckets. */
class RuleTrace {
  readonly #rules: { rule: string; openings: number; buckets: number; ms: number }[] = []
  readonly #openings: ExplainedOpening[] = []
  #leftOut = 0

  told(): Pick<Explained, 'rules' | 'openings' | 'openingsLeftOut'> {
    return { rules: this.#rules, openings: this.#openings, openingsLeftOut: this.#leftOut }
  }

  /** A rule that does what `rule` does. */
  watched(rule: RankingRule, depth: number): RankingRule {
    const sum = { rule: rule.name, openings: 0, buckets: 0, ms: 0 }
    this.#rules[depth] = sum
    return {
      name: rule.name,
      open: (universe, graph) => {
        sum.openings++
        const begun = performance.now()
        const source = rule.open(universe, graph)
        sum.ms += performance.now() - begun
        const buckets: ExplainedBucket[] = []
        const documents = universe.size
        if (this.#openings.length < OPENINGS_SHOWN_MAX) {
          this.#openings.push({ depth, rule: rule.name, documents, buckets })
        } else this.#leftOut++
        return watchedSource(source, sum, buckets)
      },
    }
  }
}

const watchedSource = (
  source: BucketSource,
  sum: { buckets: number; ms: number },
  buckets: ExplainedBucket[],
): BucketSource => ({
  next: (left: IdSet) => {
    const begun = performance.now()
    const bucket = source.next(left)
    const ms = performance.now() - begun
    sum.ms += ms
    if (bucket === null) return null
    sum.buckets++
    if (buckets.length < BUCKETS_SHOWN_MAX) {
      buckets.push({ documents: bucket.ids.size, score: bucket.score, ms })
    }
    return bucket
  },
})

function explainNodes(graph: QueryGraph): ExplainedNode[] {
  const nodes: ExplainedNode[] = []
  for (const [index, node] of graph.present()) {
    nodes.push(explainNode(index, node, graph.next[index]!))
  }
  return nodes
}

function explainNode(index: number, node: GraphNode, next: readonly number[]): ExplainedNode {
  const { term } = node
  // Before anything is asked: what the search itself found.
  const { one, two } = term.computed
  const zero = term.zero()
  return {
    node: index,
    kind: term.phrase !== null ? 'phrase' : term.isNgram ? 'ngram' : 'word',
    text: term.phrase === null ? (term.text ?? '') : phraseText(term.phrase),
    isPrefix: term.isPrefix,
    typosMax: term.typosMax,
    from: node.idFirst,
    to: node.idLast,
    next,
    documents: term.docs(1, false).size,
    exact: zero.exact === null ? null : documentsOf(term, zero.exact),
    prefixWords: explainWords(term, zero.prefixWords),
    wholePrefix: zero.wholePrefix !== null,
    synonyms: zero.phrases.map(phraseText),
    oneTypo: one === null ? null : explainWords(term, one.words),
    split: one === null || one.split === null ? null : phraseText(one.split),
    twoTypos: two === null || term.typosMax < 2 ? null : explainWords(term, two),
  }
}

const explainWords = (term: Term, words: readonly Word[]): ExplainedWords => ({
  count: words.length,
  words: words.slice(0, WORDS_SHOWN_MAX).map((word) => ({
    word: word.text,
    documents: documentsOf(term, word),
  })),
})

const documentsOf = (term: Term, word: Word): number => term.space.wordDocs(word, false).size

/** The words of a phrase; a stop word, which may be any word, is a star. */
const phraseText = ({ words }: Phrase): string => words.map((word) => word ?? '*').join(' ')
