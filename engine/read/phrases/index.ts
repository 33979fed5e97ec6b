// Finds the documents of phrases: words at consecutive positions of one field.
export { phraseMembers } from './members.ts'
export type { PhrasePart } from './places.ts'
