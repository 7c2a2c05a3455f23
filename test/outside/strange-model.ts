/**
 * An application of extremes, for clients: an entity of 200 fields of all kinds under all kinds of
 * conditions, one of 40 details, labels in Arabic, a view without a label and records without a
 * display.
 */

const FIELDS = 200
const DETAILS = 40

/** One column of each kind, by turns; `{at}` is its number. */
const KINDS = [
  '<Column Name="Text{at}" Type="Text" MaxLength="60" Label="A text with a label that is much longer than any column {at}"/>',
  '<Column Name="Amount{at}" Type="Decimal" Scale="2" Format="#,##0.00" Unit="EUR"/>',
  '<Column Name="Whole{at}" Type="Integer" Min="0" Max="9007199254740991"/>',
  '<Column Name="Flag{at}" Type="Boolean" Required="true" Default="false"/>',
  '<Column Name="Day{at}" Type="Date"/>',
  '<Column Name="Moment{at}" Type="DateTime"/>',
  '<Column Name="Hour{at}" Type="Time"/>',
  '<Column Name="Token{at}" Type="Guid"/>',
  '<Column Name="Extra{at}" Type="Json"/>',
  '<Column Name="Papers{at}" Type="File" MaxCount="3"/>',
  '<Column Name="Choice{at}" Type="Text" Label="اختيار {at}"><Option Value="a" Label="الأول"/><Option Value="b" Label="الثاني"/></Column>',
  '<Column Name="Link{at}" References="Place"/>',
  '<Column Name="Prose{at}" Type="Text" MaxLength="20000" Help="As long as one likes"/>',
]

/** Conditions of fields, by turns: they speak of the first Flag and the first Choice. */
const CONDITIONS = ['VisibleWhen', 'ReadOnlyWhen', 'RequiredWhen']

const nameOf = (column: string): string => /Name="(\w+)"/.exec(column)?.[1] ?? ''

function listColumns(): string[] {
  return Array.from({ length: FIELDS }, (_, at) =>
    (KINDS[at % KINDS.length] ?? '').replaceAll('{at}', String(at)),
  )
}

function planFields(columns: readonly string[]): string {
  const [flag, choice] = ['Flag3', 'Choice10']
  return columns
    .map(nameOf)
    .map((name, at) => {
      if (at % 9 !== 0 || name === flag || name === choice) return `<Field Name="${name}"/>`
      const condition = CONDITIONS[(at / 9) % CONDITIONS.length] ?? ''
      const when = at % 2 === 0 ? `${flag} eq true` : `${choice} eq b and ${flag} eq false`
      return `<Field Name="${name}" ${condition}="${when}"/>`
    })
    .reduce<string[]>((sections, field, at) => {
      if (at % 20 === 0) sections.push('')
      sections[sections.length - 1] += field
      return sections
    }, [])
    .map(
      (fields, at) => `<Section Label="القسم ${at}" Columns="${(at % 4) + 1}">${fields}</Section>`,
    )
    .join('\n')
}

const planDetail = (at: number): string => `
  <Entity Name="Part${at}" Table="part${at}">
    <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
    <Column Name="HubId" References="Hub" Required="true" OnDelete="Cascade"/>
    <Column Name="Name" Type="Text" MaxLength="60"/>
    <Column Name="Count" Type="Integer"/>
  </Entity>
  <ObjectView Name="Parts${at}" Entity="Part${at}" Resource="All"/>`

const listNumbers = (length: number): number[] => Array.from({ length }, (_, at) => at)

/** The model as one file. */
export function makeStrangeModel(): string {
  const columns = listColumns()
  const details = listNumbers(DETAILS)
  return `<Model>
  <Entity Name="Place" Table="places" Display="Name">
    <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
    <Column Name="Name" Type="Text" Required="true" MaxLength="200" Label="الاسم"/>
    <Column Name="InId" References="Place" Label="يقع في"/>
  </Entity>
  <Entity Name="Wide" Table="wide">
    <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
    ${columns.join('\n    ')}
  </Entity>
  <Entity Name="Hub" Table="hubs">
    <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
    <Column Name="Remark" Type="Text" MaxLength="60"/>
  </Entity>
  <Entity Name="Pair" Table="pairs">
    <Column Name="Left" Type="Text" Key="true" MaxLength="20"/>
    <Column Name="Right" Type="Date" Key="true"/>
    <Column Name="X" Type="Text" MaxLength="20"/>
  </Entity>${details.map(planDetail).join('')}
  <ObjectView Name="Places" Label="الأماكن" Entity="Place" Resource="All" Sort="Name"/>
  <ObjectView Name="Wides" Entity="Wide" Resource="All">${planFields(columns)}</ObjectView>
  <ObjectView Name="Hubs" Entity="Hub" Resource="All">
    ${details.map((at) => `<Detail Name="Parts${at}" View="Parts${at}" Parent="HubId=Id"/>`).join('\n    ')}
  </ObjectView>
  <ObjectView Name="Pairs" Entity="Pair" Resource="All"/>
  <Navbar Name="Main">
    <Item Name="Places" Object="Places"/><Item Name="Wides" Object="Wides"/>
    <Item Name="Hubs" Object="Hubs"/><Item Name="Pairs" Object="Pairs"/>
  </Navbar>
  <Rows Entity="Place" Key="Id">
    <Row Id="1" Name="القاهرة"/><Row Id="2" Name="مكتبة الإسكندرية الجديدة على شاطئ البحر" InId="1"/>
  </Rows>
  <Rows Entity="Wide" Key="Id">
    <Row Id="1" Text0="&lt;b&gt;not bold&lt;/b&gt;" Amount1="1234567890.12" Whole2="9007199254740991" Flag3="true" Day4="2026-03-29" Moment5="2026-03-29T01:30:00Z" Hour6="23:59:59" Choice10="b" Link11="2"/>
    <Row Id="2"/>
  </Rows>
  <Rows Entity="Hub" Key="Id"><Row Id="1"/></Rows>
  <Rows Entity="Pair" Key="Left Right"><Row Left="a/b?c#d %" Right="2026-01-01" X="x"/></Rows>
  <Rbac><Role Name="Manager"><Grant Resource="All" Verbs="View List Create Update Delete"/></Role></Rbac>
</Model>`
}
