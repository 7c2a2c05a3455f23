/** The navigation as its callers get it: a tree in their language, with a tag. */
import { renderMessage } from '../../kernel/messages.ts'
import type { Navigation, ShownItem } from './navigation.ts'
import type { NavbarNode } from './schema.ts'
import type { Metadata } from '../object/read/metadata.ts'

const trees = new WeakMap<Navigation, Map<string, Metadata>>()

/** Planned once for a set of roles in each requested language. */
export const findTree = (navigation: Navigation, language: string): Metadata =>
  trees
    .getOrInsertComputed(navigation, () => new Map<string, Metadata>())
    .getOrInsertComputed(language, () => {
      const json = JSON.stringify(navigation.items.map((item) => toNode(item, language)))
      return { json, etag: `"${Bun.hash(json).toString(36)}-${language}"` }
    })

/** A node for clients, which have to know whether it opens a document or a page. */
const toNode = ({ item, items }: ShownItem, language: string): NavbarNode => ({
  Name: item.name,
  Label: renderMessage(item.label, language),
  Icon: item.icon ?? null,
  Kind: item.target?.kind ?? 'Group',
  Target: item.target?.target ?? null,
  ...(item.target?.reportKind === 'Document' && { ReportKind: item.target.reportKind }),
  Children: items.map((each) => toNode(each, language)),
})
