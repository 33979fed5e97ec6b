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
    most: 0,
  },
  nobody: { pattern: /\bnobody\b/gi, instead: 'no client, no thread, no caller', most: 13 },
  'is none': {
    pattern: /(?<!\bthere )\b(?:is|are|be) none\b/gi,
    instead: 'is not one, is absent',
    most: 5,
  },
  whatever: { pattern: /\bwhatever\b/gi, instead: 'any …, all that …', most: 1 },
  Misfit: { pattern: /\bMisfits?\b|\bmisfits?\b/g, instead: 'ValidationError', most: 1 },
  patience: { pattern: /\bpatien(?:ce|tly)\b/gi, instead: 'timeouts, retryWhileBusy', most: 9 },
  eyes: { pattern: /\bEyes\b|\beyesOf\b|\beyes\b/g, instead: 'visibility filter', most: 2 },
  bury: { pattern: /\bbur(?:y|ied|ials?)\b/gi, instead: 'tombstone, addTombstones', most: 4 },
  letGo: { pattern: /\bletGo\b/g, instead: 'release, closeWithoutSeal', most: 1 },
  mark: { pattern: /\bdrawMark\b/g, instead: 'drawLogSalt', most: 1 },
  Asked: { pattern: /\b[A-Za-z]*Asked\b/g, instead: 'XRequest', most: 3 },
  Told: { pattern: /\b[A-Za-z]*(?:Told|Taken)\b/g, instead: 'XReply, XReceipt', most: 5 },
  Course: { pattern: /\bCourse\b/g, instead: 'RequestTrace', most: 1 },
  kept: { pattern: /\b(?:kept|known)[A-Z]\w*/g, instead: 'cachedX', most: 26 },
  Understood: { pattern: /\bUnderstood\b/g, instead: 'CompiledSettings', most: 1 },
  Unlike: { pattern: /\bUnlike\b(?= ?[<({])/g, instead: 'DistinctMerger', most: 0 },
  cut: { pattern: /\btakeCut\b|\bCut\b/g, instead: 'ConsistentCut, checkpoint', most: 2 },
  rest: {
    pattern: /\brestLater\b|(?<![.\w])rest\(/g,
    instead: 'sleep, recycleWhenIdle',
    most: 10,
  },
  Questions: { pattern: /\bQuestions\b/g, instead: 'QueryService', most: 2 },
  dieAloud: { pattern: /\bdieAloud\b/g, instead: 'exitWithMessage', most: 0 },
  'hears of': { pattern: /\bhears? of\b/gi, instead: 'is notified of, receives', most: 0 },
  'that is no': {
    pattern: /\b(?:that|it) is no\b(?! longer)/gi,
    instead: 'is not a …',
    most: 3,
  },
  anew: { pattern: /\banew\b/gi, instead: 'again', most: 12 },
  'in force': { pattern: /\bin force\b/gi, instead: 'active', most: 2 },
  'null: it': {
    pattern: /(?:\/\*\*|\/\/|\*) .*\bnull: (?:it|there|no|none|not)\b/g,
    instead: 'or null if …',
    most: 7,
  },
  'What as a subject': {
    pattern: /(?:\/\*\*|\/\/|^ *\*) What /gm,
    instead: 'the noun: the tasks that …',
    most: 8,
  },
  told: {
    pattern: /\b(?:const|let|readonly) (?:told|said)\b|\bunsaid\b|\btell[A-Z]\w*|[#.]tell\(/g,
    instead: 'acked, unacked, sendMessage, notify, report',
    most: 43,
  },
  'network dialect': {
    pattern:
      /\b(?:insist|doubt|ofNobody|isAtOdds|FAREWELL\w*|MENDABLE|mendable|thrownBelow|checkBrought|gaveWay|deposed|isHeard)\b/g,
    instead:
      'retry, markSuspect, inNoShard, mismatch, removed, retryable, joining, checkLeadership',
    most: 0,
  },
  renewal: {
    pattern: /\b(?:Renewals?|renewable|isRenewed)\b/g,
    instead: 'resync (of an instance), repair (of shards)',
    most: 0,
  },
  OptionKind: { pattern: /\bOptionKind\b|\bSurvey\b/g, instead: 'OptionType, BodyScan', most: 0 },
}
