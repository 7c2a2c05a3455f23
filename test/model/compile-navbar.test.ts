/** Navbars: what their items compile to, and what of them is refused. */
import { describe, expect, test } from 'bun:test'
import type { NavbarItem } from '../../src/model/compiled/navbar.ts'
import { compileShop, compileTexts, expectFault, type FaultCase } from '../support/compile-text.ts'

/** Names alone, groups with what is in them. */
const outline = (items: readonly NavbarItem[]): unknown[] =>
  items.map(({ name, items: own }) => (own.length === 0 ? name : [name, ...outline(own)]))

describe('Navbars', () => {
  test('are one navigation, in which a further one goes on with a group', async () => {
    const { navigation } = await compileShop(`<Model>
<Navbar Name="a">
  <Item Name="Sales" Icon="cart"><Badge>SELECT 1</Badge>
    <Item Name="Orders" Object="customers"/><Item Name="More"><Item Name="Site" Url="/site"/></Item>
  </Item>
</Navbar>
<Navbar Name="b">
  <Item Name="Help" Url="/help"/>
  <Item Name="Sales"><Item Name="More"><Item Name="Map" Url="/map"/></Item></Item>
</Navbar>
</Model>`)
    expect(outline(navigation)).toEqual([['Sales', 'Orders', ['More', 'Site', 'Map']], 'Help'])
    expect(navigation[0]).toMatchObject({ icon: 'cart', badge: { kind: 'Count' } })
  })

  test('have labels of their own, of their target, or their name in words', async () => {
    const { navigation } = await compileShop(`<Navbar Name="a">
<Item Name="One" Label="First" Object="Customers"/><Item Name="Two" Object="Customers"/>
<Item Name="ThirdOne" Url="/3"><Badge Kind="Dot">SELECT count(*) FROM orders</Badge></Item></Navbar>`)
    expect(navigation.map(({ label }) => String(label))).toEqual([
      'First',
      'Customers',
      'Third one',
    ])
    expect(navigation[2]?.badge).toMatchObject({ kind: 'Dot', sql: { reads: ['orders'] } })
  })

  const cases: FaultCase[] = [
    [
      'a link of a name that another Navbar has',
      `<Model><Navbar Name="a"><Item Name="Help" Url="/a"/></Navbar>
<Navbar Name="b"><Item ¦Name="Help" Url="/b"/></Navbar></Model>`,
      'Navbar a already has an Item Help, which names its badge',
    ],
    [
      'a group that stands elsewhere in another Navbar',
      `<Model><Navbar Name="a"><Item Name="Top"><Item Name="In" Url="/a"/></Item></Navbar>
<Navbar Name="b"><Item Name="Other"><Item ¦Name="Top"><Item Name="X" Url="/x"/></Item></Item></Navbar></Model>`,
      'Navbar a already has an Item Top, which names its badge',
    ],
    [
      'a second badge of a group',
      `<Model><Navbar Name="a"><Item Name="Top"><Item Name="In" Url="/a"/></Item></Navbar>
<Navbar Name="b"><Item Name="Top">¦<Badge>SELECT 1</Badge><Item Name="X" Url="/x"/></Item></Navbar></Model>`,
      'The Badge of the group Top belongs in Navbar a, its first',
    ],
    [
      'a link that would run as code',
      '<Navbar Name="a"><Item Name="A" ¦Url=" JavaScript:alert(1)"/></Navbar>',
      'Url:  JavaScript:alert(1) cannot be followed. Use https://… or a path',
    ],
    [
      'a badge that writes',
      '<Navbar Name="a"><Item Name="A" Url="/"><Badge>¦DELETE FROM orders</Badge></Item></Navbar>',
      'Only reading is available here: no DELETE',
    ],
    [
      'a badge by a name that is no context parameter',
      '<Navbar Name="a"><Item Name="A" Url="/"><Badge>SELECT ¦@Id</Badge></Item></Navbar>',
      'There is no parameter @Id',
    ],
    [
      'a badge that draws a number',
      '<Navbar Name="a"><Item Name="A" Url="/"><Badge>SELECT ¦@Next_OrderNumber</Badge></Item></Navbar>',
      '@Next_OrderNumber draws a number: only statements that write may name it',
    ],
  ]
  test.each(cases)('%s is refused', async (_, text, message) => expectFault(text, message))
})

describe('a Badge', () => {
  test('that reads what no view serves is warned of, where it stands', async () => {
    const { faults, warnings } = await compileTexts({
      'a.xml': `<Model>
<Entity Name="Person" Table="persons"><Column Name="Id" Type="Integer" Key="true"/><Column Name="Name"/><Column Name="Pay" Type="Integer"/></Entity>
<Entity Name="Link" Table="links"><Column Name="Id" Type="Integer" Key="true"/><Column Name="Of" References="Person"/><Column Name="Note"/></Entity>
<ObjectView Name="Persons" Entity="Person"><TableQuery>SELECT Id, Name AS Called FROM persons</TableQuery></ObjectView>
<Navbar Name="a">
<Item Name="One" Object="Persons"><Badge>SELECT count(Name) FROM persons WHERE Id &gt; 1</Badge></Item>
<Item Name="Two" Object="Persons"><Badge>SELECT sum(Pay) FROM persons</Badge></Item>
<Item Name="Three" Url="/x"><Badge>SELECT count(*) FROM links WHERE Of = 1</Badge></Item>
<Item Name="Four" Url="/x"><Badge>SELECT count(Note) FROM links</Badge></Item>
</Navbar></Model>`,
    })
    expect(faults).toEqual([])
    const told = 'only System sees a badge that reads it'
    expect(warnings.map((each) => each.replace(/^a\.xml:(\d+)\S*/, '$1'))).toEqual([
      `7 No view serves Person.Pay: ${told}`,
      `9 No view serves Link.Note: ${told}`,
    ])
  })
})
