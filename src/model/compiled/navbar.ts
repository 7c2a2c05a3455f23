/** The navigation: the items of all Navbars of a model together. */
import type { OpenTarget } from './action.ts'
import type { AuthoredSql } from './authored-sql.ts'
import type { ModelText } from '../model-text.ts'

/** A figure beside an item: the first cell of its query, as a number or as a mark. */
export interface Badge {
  kind: 'Count' | 'Dot'
  sql: AuthoredSql
}

/** A link, or a group of items. */
export interface NavbarItem {
  /** Name, unique in the navigation: badges refer to it. */
  name: string
  label: ModelText
  icon: string | undefined
  /** The target that a link opens; undefined for a group. */
  target: Omit<OpenTarget, 'with'> | undefined
  badge: Badge | undefined
  /** Items of a group, in their order. */
  items: readonly NavbarItem[]
}
