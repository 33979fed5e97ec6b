// Types of markdown.mjs.

export function escapeHtml(text: string): string
export function anchorOf(heading: string): string
export function htmlOf(markdown: string, link: (href: string) => string): string
