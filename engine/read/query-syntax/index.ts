// The syntax of boolean queries: `AND`, `OR`, `NOT`, signs, parentheses, phrases and names of
// attributes. Pure: from a text to a tree, and from sets of documents to those that match.
export { parseBoolean, refuse } from './parse.ts'
export { type BooleanQuery, type FieldName, type Leaf, matching } from './tree.ts'
