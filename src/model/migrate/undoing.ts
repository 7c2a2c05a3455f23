/** A deploy that is rolled back, as its migration knows it. */
import type { GivenByDeploy } from './given.ts'

/** Names that an entity and its columns had before a deploy, each with the name of now. */
export interface EntityNames {
  was: string
  now: string
  columns: readonly (readonly [was: string, now: string])[]
}

/** Facts about a deploy for the migration that rolls it back. */
export interface Undoing {
  /** Entities and columns that have the names of before again, whatever their `Was` says. */
  entities: readonly EntityNames[]
  given: GivenByDeploy
}

/** The names of an entity where a deploy is rolled back: its own where it was not renamed. */
export const findNames = ({ entities }: Undoing, name: string): EntityNames =>
  entities.find(({ was }) => was === name) ?? { was: name, now: name, columns: [] }

/** The name of now of a column. */
export const findNameNow = ({ columns }: EntityNames, name: string): string =>
  columns.find(([was]) => was.toLowerCase() === name.toLowerCase())?.[1] ?? name
