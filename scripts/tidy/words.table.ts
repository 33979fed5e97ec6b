// Words of an older private vocabulary that `tidy` counts, with the field's word for each. A count
// may only fall: more occurrences than `most` are a finding, and so is a ceiling that is far too
// high. The glossary in CONTRIBUTING.md has the reasons.

export type OldWord = {
  readonly pattern: RegExp
  readonly instead: string
  /** How often it may still occur in code, comments and pages. */
  readonly most: number
}

export const OLD_WORDS: Readonly<Record<string, OldWord>> = {
  whoever: {
    pattern: /\bwhoever\b/gi,
    instead: 'the caller, the client, the thread that',
    most: 75,
  },
  nobody: { pattern: /\bnobody\b/gi, instead: 'no client, no thread, no caller', most: 153 },
  'is none': { pattern: /\b(?:is|are|be) none\b/gi, instead: 'is not one, is absent', most: 128 },
  whatever: { pattern: /\bwhatever\b/gi, instead: 'any …, all that …', most: 117 },
  Misfit: { pattern: /\bMisfits?\b|\bmisfits?\b/g, instead: 'ValidationError', most: 2 },
  patience: { pattern: /\bpatien(?:ce|tly)\b/gi, instead: 'timeouts, retryWhileBusy', most: 20 },
  eyes: { pattern: /\bEyes\b|\beyesOf\b|\beyes\b/g, instead: 'visibility filter', most: 31 },
  bury: { pattern: /\bbur(?:y|ied|ials?)\b/gi, instead: 'tombstone, addTombstones', most: 11 },
  letGo: { pattern: /\bletGo\b/g, instead: 'release, closeWithoutSeal', most: 7 },
  mark: { pattern: /\bdrawMark\b/g, instead: 'drawLogSalt', most: 1 },
  Asked: { pattern: /\b[A-Za-z]*Asked\b/g, instead: 'XRequest', most: 83 },
  Told: { pattern: /\b[A-Za-z]*(?:Told|Taken)\b/g, instead: 'XReply, XReceipt', most: 66 },
  Course: { pattern: /\bCourse\b/g, instead: 'RequestTrace', most: 7 },
  kept: { pattern: /\b(?:kept|known)[A-Z]\w*/g, instead: 'cachedX', most: 39 },
  Understood: { pattern: /\bUnderstood\b/g, instead: 'CompiledSettings', most: 5 },
  Unlike: { pattern: /\bUnlike\b(?= ?[<({])/g, instead: 'DistinctMerger', most: 0 },
  cut: { pattern: /\btakeCut\b|\bCut\b/g, instead: 'ConsistentCut, checkpoint', most: 2 },
  rest: { pattern: /\brestLater\b|(?<![.\w])rest\(/g, instead: 'sleep, recycleWhenIdle', most: 18 },
  Questions: { pattern: /\bQuestions\b/g, instead: 'QueryService', most: 9 },
  dieAloud: { pattern: /\bdieAloud\b/g, instead: 'exitWithMessage', most: 4 },
  'hears of': { pattern: /\bhears? of\b/gi, instead: 'is notified of, receives', most: 25 },
  'that is no': { pattern: /\b(?:that|it) is no\b/gi, instead: 'is not a …', most: 49 },
  'has none': {
    pattern: /\b(?:has|have|there is|there are) none\b/gi,
    instead: 'has no …',
    most: 101,
  },
}
