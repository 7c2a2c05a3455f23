/** Worlds whose rows have a second number and a list of keys, both functions of their own key. */
import { systemScope } from '../../../src/store/store.ts'
import type { TestApp } from '../app.ts'
import { entityName, tableName } from './world-model.ts'
import type { World } from './world.ts'

/** The names of the keys that a list may have. */
export const TAGS = ['Rose', 'Slate'] as const

/** The role by which users list the tags. */
export const TAGGER = {
  name: 'Tagger',
  xml: '<Role Name="Tagger"><Grant Resource="Tags" Verbs="View List"/></Role>',
}

/** The tags of all worlds, which are in none of the companies. */
export const TAGS_XML =
  '<Entity Name="Tag" Table="tags" Display="Name">' +
  '<Column Name="Code" Type="Integer" Key="true"/><Column Name="Name" Type="Text"/></Entity>' +
  '<ObjectView Name="Tags" Entity="Tag"/>'

/** The second number of a row, by its key: it may be missing. */
export const limitOf = (key: number): number | null => (key % 4 === 0 ? null : ((key * 7) % 5) - 1)

/** True for a row that has a tag, by its key and the number of the tag. */
export const isTagged = (key: number, tag: number): boolean => key % (tag + 2) !== 0

/** The second number as a column of each entity. */
export const LIMIT_COLUMN = '<Column Name="L" Type="Integer" Label="Ceiling"/>'

/** The column of the list of keys of the view's rows. */
export const TAGS_FIELD = (at: number): string =>
  `<Field Name="Tags" Label="Tags" Through="T${at}"/>`

/** The entity that joins the view's rows with their tags, held to their company. */
export function printLinks({ view: { entity }, entities }: World, at: number): string {
  const isTenant = entities[entity]?.isTenant === true
  const target = entityName(at, entity)
  return [
    `<Entity Name="T${at}" Table="t${at}"${isTenant ? ' Company="CompanyId"' : ''}>`,
    `<Column Name="OwnerKey" References="${target}" Key="true" OnDelete="Cascade"/>`,
    '<Column Name="TagCode" References="Tag" Key="true"/>',
    isTenant ? '<Column Name="CompanyId" Type="Integer" Required="true"/>' : '',
    '</Entity>',
  ].join('')
}

/** Fills the second numbers and the lists of all rows. */
export async function tagRows({ store }: TestApp, worlds: readonly World[]): Promise<void> {
  await store.write(async (tx) => {
    for (const [at, Name] of TAGS.entries())
      await tx.run('INSERT INTO tags (Code, Name) VALUES (@at, @Name)', { at, Name })
    for (const [at, { view, entities }] of worlds.entries()) {
      const table = tableName(at, view.entity)
      const isHeld = entities[view.entity]?.isTenant === true
      const [company, into] = isHeld ? [', CompanyId', ', CompanyId'] : ['', '']
      await tx.run(
        `UPDATE ${table} SET L = CASE WHEN Id % 4 = 0 THEN NULL ELSE (Id * 7) % 5 - 1 END`,
      )
      await tx.run(
        `INSERT INTO t${at} (OwnerKey, TagCode${into})
          SELECT r.Id, g.Code${company} FROM ${table} r JOIN tags g ON r.Id % (g.Code + 2) <> 0`,
      )
    }
  }, systemScope('the rows of the test'))
}
