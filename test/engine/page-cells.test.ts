/** Which rows may be large, by what the model declares. */
import { expect, test } from 'bun:test'
import { planCharacters } from '../../src/engine/object/read/page-cells.ts'
import { compileSound } from '../support/compile-text.ts'

const MODEL = `<Model>
<Entity Name="Tag" Table="tags" Display="Name">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Name" Type="Text" MaxLength="80"/>
</Entity>
<Entity Name="Page" Table="pages" Concurrency="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Title" Type="Text" MaxLength="40"/>
  <Column Name="Body" Type="Text"/>
  <Column Name="More" Type="Json"/>
  <Column Name="TagId" Type="Integer" References="Tag"/>
</Entity>
<ObjectView Name="Pages" Entity="Page"/>
<ObjectView Name="Made"><TableQuery>SELECT p.Id, p.Title, t.Name AS Tag, p.Title || p.Body AS Both
  FROM pages p JOIN tags t ON t.Id = p.TagId</TableQuery></ObjectView>
</Model>`

const SIZES: [view: string, field: string, most: number][] = [
  ['Pages', 'Id', 100],
  ['Pages', 'RowVersion', 100],
  ['Pages', 'Title', 100],
  ['Pages', 'TagId__Label', 100],
  ['Pages', 'Body', 66_000],
  ['Pages', 'More', Infinity],
  ['Made', 'Title', 100],
  ['Made', 'Tag', 100],
  ['Made', 'Both', Infinity],
]

test('the characters of a row are those that the model declares', async () => {
  const model = await compileSound({ 'model.xml': MODEL })
  for (const [viewName, fieldName, most] of SIZES) {
    const view = model.views.get(viewName)
    const field = view?.fieldByName.get(fieldName.toLowerCase())
    if (!view || !field) throw new Error(`No ${viewName}.${fieldName}`)
    const characters = planCharacters([field], view, model)
    expect([fieldName, characters <= most]).toEqual([fieldName, true])
    expect(characters === Infinity).toBe(most === Infinity)
  }
})
