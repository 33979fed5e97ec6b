// A search that explains itself: how the query was parsed, the words that each query word matched,
// the buckets of each rule, and the time of each stage. Runs the same steps as `execute.ts` on the
// same components and returns plain data.
import { decoder } from '../../../format/bytes/index.ts'
import type { IndexUid } from '../../../format/ids.ts'
import type { IdSet } from '../../../format/idset/index.ts'
import { JsonBuffer } from '../../../format/json/index.ts'
import { type Features, requestedFacets, type SearchRequest } from '../../model/index.ts'
import type { ViewRef } from '../../store/views/index.ts'
import { partOf, stemOf } from '../../text/index.ts'
import { countedFacets, facetsOf, HitWriter, windowOf } from '../answers/index.ts'
import { SearchableView, StepTimes } from '../jobs/index.ts'
import type { GraphNode, Phrase, QueryGraph, Term } from '../query-graph/index.ts'
import {
  type BucketSource,
  globalScore,
  type RankingRule,
  type ScoreDetail,
} from '../rank/index.ts'
import { controlOf, KeywordRetriever, prepare, readQuery } from '../retrieval/index.ts'
import type { Word } from '../segment-text/index.ts'
import type { SegmentCache } from '../segments/index.ts'

/** Words of a list that are shown; further words are only counted. */
const WORDS_SHOWN_MAX = 20
/** Rule openings that are shown in full; further ones are only added to the sums. */
const OPENINGS_SHOWN_MAX = 200
const BUCKETS_SHOWN_MAX = 50

export type ExplainedWords = {
  readonly count: number
  /** The first words, with the number of documents that contain them. */
  readonly words: readonly { readonly word: string; readonly documents: number }[]
}

/** One node of the query graph. Lookups that the search did not need are null. */
export type ExplainedNode = {
  readonly node: number
  readonly kind: 'word' | 'ngram' | 'phrase'
  readonly text: string
  readonly isPrefix: boolean
  readonly typosMax: number
  /** Positions of the query words it covers, inclusive. */
  readonly from: number
  readonly to: number
  /** Nodes that may follow it. An index equal to the number of nodes means the end. */
  readonly next: readonly number[]
  /** Documents that match the node without typos: exactly, by prefix, or by a synonym. */
  readonly documents: number
  readonly exact: number | null
  readonly prefixWords: ExplainedWords
  /** True if the prefix is so common that its matches are stored as one set. */
  readonly wholePrefix: boolean
  readonly synonyms: readonly string[]
  readonly oneTypo: ExplainedWords | null
  readonly splits: readonly string[]
  /** Words that it is a part of, by the parts that match. */
  readonly parts: readonly string[]
  /** Its stems by which it matches words, at the cost of a typo. */
  readonly stems: readonly string[]
  readonly twoTypos: ExplainedWords | null
  /** Documents with a word that contains the text, if such words are searched. */
  readonly within: number | null
}

type ExplainedBucket = {
  readonly documents: number
  readonly score: ScoreDetail
  readonly ms: number
}

/** A rule applied to a set of documents that all earlier rules rank equal. */
export type ExplainedOpening = {
  /** Number of rules before it. */
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
  readonly index: IndexUid
  readonly query: string | null
  readonly documents: number
  /** Documents that pass the filter. */
  readonly filtered: number
  readonly found: number
  readonly degraded: boolean
  readonly start: readonly number[]
  readonly nodes: readonly ExplainedNode[]
  readonly negative: readonly string[]
  readonly rules: readonly ExplainedRule[]
  readonly openings: readonly ExplainedOpening[]
  /** Openings that are only counted in `rules`. */
  readonly openingsLeftOut: number
  readonly hits: readonly { readonly document: string; readonly score: number | null }[]
  readonly stages: readonly { readonly stage: string; readonly ms: number }[]
}

/** Runs a search and returns its explanation. @throws EngineFault, StorageError */
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
  const { sort, matching, scope, distinctField, universe } = prepare(
    view,
    request,
    features,
    control,
  )
  times.done('filter')
  const query = readQuery(view, request, scope)
  times.done('query')
  const trace = new RuleTrace()
  const withScores = request.showRankingScore || request.showRankingScoreDetails
  const retriever = new KeywordRetriever(view, request, query, {
    sort,
    matching,
    distinctField,
    withScores,
    control,
    watch: (rules) => rules.map((rule, depth) => trace.watched(rule, depth)),
  })
  const window = windowOf(request, view.settings.pagination.maxTotalHits)
  const ranking = retriever.retrieve(universe, window)
  times.done('rank')
  const requested = requestedFacets(request.facets, request.disjunctiveFacets)
  if (requested.length > 0) {
    const facets = countedFacets(view, requested)
    facetsOf(view, facets, ranking.candidates, () => null, control, new StepTimes())
  }
  times.done('facets')
  const out = new JsonBuffer(4096)
  const writer = new HitWriter(view, request, sort, query.graph)
  for (const hit of ranking.hits) writer.write(hit, out, null)
  times.done('format hits')
  return {
    index: ref.uid,
    query: request.q,
    documents,
    filtered: universe.size,
    found: ranking.candidates.size,
    degraded: ranking.degraded,
    start: query.graph?.start ?? [],
    nodes: query.graph === null ? [] : explainNodes(query.graph),
    negative: [...query.parsed.negativeWords, ...query.parsed.negativePhrases.map(phraseText)],
    ...trace.summary(),
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

/** Records the buckets that rules create. */
class RuleTrace {
  readonly #rules: { rule: string; openings: number; buckets: number; ms: number }[] = []
  readonly #openings: ExplainedOpening[] = []
  #leftOut = 0

  summary(): Pick<Explained, 'rules' | 'openings' | 'openingsLeftOut'> {
    return { rules: this.#rules, openings: this.#openings, openingsLeftOut: this.#leftOut }
  }

  /** Returns a rule that behaves like `rule` and records its work. */
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
  // Read before any lookup below, so that only lookups of the search itself are shown.
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
    synonyms: [...zero.phrases, ...(one === null ? [] : term.stemSynonyms())].map(phraseText),
    oneTypo: one === null ? null : explainWords(term, one.words),
    splits: (one?.splits ?? []).map(phraseText),
    parts: (one?.parts ?? []).slice(0, WORDS_SHOWN_MAX).map(({ text }) => partOf(text)),
    twoTypos: two === null || term.typosMax < 2 ? null : explainWords(term, two),
    stems: one === null || term.stems().length === 0 ? [] : stemsOf(term),
    within: one?.within == null ? null : term.space.withinDocs(one.within).size,
  }
}

const explainWords = (term: Term, words: readonly Word[]): ExplainedWords => ({
  count: words.length,
  words: words.slice(0, WORDS_SHOWN_MAX).map((word) => ({
    word: word.text,
    documents: documentsOf(term, word),
  })),
})

const stemsOf = ({ space, written }: Term): string[] => [
  ...new Set(space.stemKeys(written ?? '').map(({ key }) => stemOf(key))),
]

const documentsOf = (term: Term, word: Word): number => term.space.wordDocs(word, false).size

/** The words of a phrase as text; a star behind the last one says that it is a prefix. */
const phraseText = ({ isPrefix, words }: Phrase): string => words.join(' ') + (isPrefix ? '*' : '')
