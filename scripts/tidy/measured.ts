// Finds comments with a measured figure: how long something takes, by which share or factor it is
// slower, how much memory it needs. Such a figure ages with code and machine, so its comment names
// the command that measures it, or gives the reason without the figure.

const NUMBER = String.raw`(?:\d[\d.,]* ?|(?:some|two|three|ten|hundred|thousand) )`
const UNIT = '(?:[nµm]?s|(?:milli|micro|nano)?seconds?|[KMG]i?B|kB|%|times)'
const PART = '(?:half|thirds?|quarters?|fifth|eighth|tenth)'
const FIGURE = new RegExp(
  String.raw`\b${NUMBER}${UNIT}(?![\w-])|\b(?:takes?|took|costs?) (?:half )?a (?:${PART} of a )?(?:milli|micro|nano)?second\b|\b${PART} (?:of the time|more time|less time|longer)\b|\btwice as long\b`,
)
const COST =
  /\b(?:measured|takes?|took|costs?|needs?|saves?|spends?|slower|faster|quicker|larger)\b/i
/** A bound that the code enforces. */
const BOUND = /\b(?:at most|more than|longer than|less than|up to|within|after|at least|every) \d/i
/** A command in backticks. */
const COMMAND = /`(?:npm run|npx|node|svc-tools|perf) [^`]+`/

/** Returns the offsets of comments with a sentence that has such a figure, and without a command. */
export const measuredFigures = (text: string): readonly number[] =>
  [...text.matchAll(COMMENTS)].flatMap(({ 0: comment, index }) => {
    const words = comment
      .replaceAll(/^[ \t]*(?:\/\/|\/?\*+\/?)[ \t]?/gm, '')
      .replaceAll(/\s+/g, ' ')
    return !COMMAND.test(words) && words.split(/(?<=[.:;]) /).some(isMeasured) ? [index] : []
  })

/** Whole blocks of lines, comments behind code, and those between slashes and stars. */
const COMMENTS = /(?:^[ \t]*\/\/.*\n?)+|(?<=\S +)\/\/ .*|\/\*[\s\S]*?\*\//gm

const isMeasured = (sentence: string): boolean =>
  FIGURE.test(sentence) && COST.test(sentence) && !BOUND.test(sentence)
