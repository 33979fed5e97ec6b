// The parts of pages that are generated from the table of pages: the contents in docs/README.md and
// the links to the previous and the next page.
import { posix } from 'node:path'
import { PAGES, type Page, SECTIONS, START_PAGE } from './pages.table.ts'

const CONTENTS = /(<!-- contents -->\n)[\s\S]*?(<!-- end of contents -->)/
/** Matches the last line of a page with the rule before it. */
const FOOTER = /\n---\n\n[^\n]*\[Contents\]\((?:\.\.\/)?README\.md\)[^\n]*\n$/

function contents(): string {
  const sections = SECTIONS.map(({ title, pages }) => {
    const lines = pages.map((page) => `- [${page.title}](${page.file}): ${page.about}`)
    return `## ${title}\n\n${lines.join('\n')}\n`
  })
  return `\n${sections.join('\n')}\n`
}

/** Returns the start page with the contents from the table. */
export const withContents = (text: string): string =>
  text.replace(CONTENTS, (_whole, start, end) => `${start}${contents()}${end}`)

/** Name of the list of pages for language models, in docs/ and on the site. */
export const LLMS_FILE = 'llms.txt'

/** Base address of the text of pages, for programs. */
const RAW = 'https://raw.githubusercontent.com/svc-search/svc-search/main/docs/'

/** Returns llms.txt: all pages with a line each, for language models (https://llmstxt.org). */
export function llmsText(): string {
  const sections = SECTIONS.map(({ title, pages }) => {
    const lines = pages.map((page) => `- [${page.title}](${RAW}${page.file}): ${page.about}`)
    return `## ${title}\n\n${lines.join('\n')}\n`
  })
  return `# Svc Search

> A search engine over HTTP for JSON documents: full text with typos, filters, facets, vectors. It speaks the API of Meilisearch.

${sections.join('\n')}`
}

function footer(page: Page): string {
  const at = PAGES.indexOf(page)
  const [before, after] = [PAGES[at - 1], PAGES[at + 1]]
  const to = (file: string): string => posix.relative(posix.dirname(page.file), file)
  const parts = [
    before === undefined ? '' : `← [${before.title}](${to(before.file)}) · `,
    `[Contents](${to(START_PAGE)})`,
    after === undefined ? '' : ` · [${after.title}](${to(after.file)}) →`,
  ]
  return `\n---\n\n${parts.join('')}\n`
}

/** Returns the page without the links at its end. */
export const withoutFooter = (text: string): string => text.replace(FOOTER, '')

/** Returns the page with the links at its end; generated pages stay unchanged. */
export const withFooter = (page: Page, text: string): string =>
  page.isGenerated === true ? text : `${withoutFooter(text).trimEnd()}\n${footer(page)}`
