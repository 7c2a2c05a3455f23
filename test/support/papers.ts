/** A company's papers: an entity with files, details with files, and those who may see some. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Answer, type AppOptions, startApp, type TestApp } from './app.ts'
import { Objects, type Refusal, type Reply, type Row } from './objects.ts'
import { makePeople } from './people.ts'
import type { TestApplication } from './template.ts'

const MODEL = `<Model>
<Entity Name="Paper" Table="papers" Display="Title" Company="CompanyId" Audit="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Title" Type="Text"/>
  <Column Name="Region" Type="Text" Default="north"/>
  <Column Name="Scans" Type="File" MaxCount="3"/>
  <Column Name="Photo" Type="File" MaxBytes="2000" Accept="image/* application/pdf"/>
  <Column Name="Secret" Type="File"/>
  <Column Name="Sealed" Type="File"/>
  <Column Name="FolderId" References="Folder" OnDelete="Cascade"/>
</Entity>
<Entity Name="Folder" Table="folders" Display="Title" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Title" Type="Text"/>
</Entity>
<Entity Name="Page" Table="pages" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="PaperId" References="Paper" Required="true" OnDelete="Cascade"/>
  <Column Name="Number" Type="Integer"/>
  <Column Name="Image" Type="File" Required="true"/>
</Entity>
<ObjectView Name="Folders" Entity="Folder"/>
<ObjectView Name="Pages" Entity="Page"/>
<ObjectView Name="Papers" Entity="Paper">
  <Field Name="Sealed" ReadOnly="true"/>
  <Detail View="Pages" Parent="PaperId=Id"/>
  <RowAction Name="Empty"><Sql>UPDATE papers SET Scans = NULL WHERE Id = @Id</Sql></RowAction>
  <RowAction Name="Copy"><Sql>INSERT INTO papers (CompanyId, Title, Scans) SELECT CompanyId, 'copy', Scans FROM papers WHERE Id = @Id</Sql></RowAction>
  <RowAction Name="Attach"><Parameter Name="More" Type="File"/><Sql>UPDATE papers SET Sealed = @More WHERE Id = @Id</Sql></RowAction>
  <RowAction Name="Stamp"><Parameter Name="Ink" Type="File" Accept="image/*"/><Sql>UPDATE papers SET Sealed = @Ink WHERE Id = @Id</Sql></RowAction>
</ObjectView>
<ObjectView Name="Summaries" Entity="Paper" ViewType="View"><Field Name="Title"/><Field Name="Secret" In="None"/></ObjectView>
<Rbac>
  <UserAttribute Name="Region" Type="Text"/>
  <Role Name="Keeper">
    <Grant Resource="Papers" Verbs="View List Create Update Delete Export Import"/>
    <Grant Resource="Pages" Verbs="View List Create Update Delete"/>
    <Grant Resource="Folders" Verbs="View List Create Update Delete"/>
  </Role>
  <Role Name="Reader">
    <Grant Resource="Papers" Verbs="View List"/>
    <RowFilter Resource="Papers">Region = @User_Region</RowFilter>
    <FieldRule Resource="Papers" Field="Secret" Access="Hidden"/>
  </Role>
  <Role Name="Clerk">
    <Grant Resource="Papers" Verbs="View List Create Update"/>
    <FieldRule Resource="Papers" Field="Secret" Access="Hidden"/>
    <FieldRule Resource="Papers" Field="Photo" Access="ReadOnly"/>
  </Role>
</Rbac>
</Model>`

/** ana and bo keep the papers of ONE, cy those of TWO; dee reads the north's; xi has no role. */
export const PAPERS: TestApplication = {
  files: [{ name: 'papers.xml', body: MODEL }],
  ...makePeople('ONE TWO', {
    sys: 'System in ONE TWO',
    ana: 'Keeper@ONE',
    bo: 'Keeper@ONE',
    cy: 'Keeper@TWO in TWO',
    dee: ['Reader@ONE', { Region: 'north' }],
    kim: 'Clerk@ONE',
    xi: '',
  }),
}

/** An entry of the answer to an upload. */
export interface UploadResult {
  UploadKey: string
  FileName: string
  ContentType: string
  Size: number
  FieldName: string
  ExpiresAt: string
}

/** An entry of a File column. */
export interface FileEntry {
  Path: string
  FileName: string
  ContentType: string
  Size: number
}

/** The request of an upload. */
export interface UploadCall {
  object?: string
  field?: string
  view?: string
  headers?: Record<string, string>
}

/** Calls about files as named users. */
export class Papers extends Objects {
  /** A multipart upload of some files. */
  async upload(
    as: string,
    files: readonly File[],
    { object = 'Papers', field = 'Scans', view, headers }: UploadCall = {},
  ): Promise<Reply<UploadResult[]>> {
    const form = new FormData()
    form.set('objectName', object)
    form.set('fieldName', field)
    if (view !== undefined) form.set('viewId', view)
    for (const file of files) form.append('file', file)
    return this.send(as, form, headers)
  }

  async send(
    as: string,
    form: FormData,
    headers: Record<string, string> = {},
  ): Promise<Reply<UploadResult[]>> {
    const response = await this.app.handle(
      new Request('http://localhost/api/v1/svc/object/upload', {
        method: 'POST',
        body: form,
        headers: { Authorization: `Bearer ${this.app.tokens[as]}`, ...headers },
      }),
    )
    const text = await response.text()
    const body = JSON.parse(text) as Refusal & { data: UploadResult[] }
    return { status: response.status, headers: response.headers, text, body }
  }

  /** The key of one upload that must succeed. */
  async key(as: string, file: File, call: UploadCall = {}): Promise<string> {
    const { status, body, text } = await this.upload(as, [file], call)
    const key = body.data?.[0]?.UploadKey
    if (status !== 200 || key === undefined) throw new Error(`The upload failed: ${text}`)
    return key
  }

  /** A new paper with files in a field; its key and the entries as they are stored. */
  async paper(
    as: string,
    files: readonly File[],
    { field = 'Scans', more = {} }: { field?: string; more?: Row } = {},
  ): Promise<{ id: number; entries: FileEntry[] }> {
    const keys: string[] = []
    for (const file of files) keys.push(await this.key(as, file, { field }))
    const { Values } = await this.save(as, 'Papers', { Title: 'paper', [field]: keys, ...more })
    return { id: Number(Values.Id), entries: Values[field] as FileEntry[] }
  }

  /** `/files/{path}`. */
  get(as: string, path: string, headers: Record<string, string> = {}): Promise<Answer<Refusal>> {
    return this.app.fetch<Refusal>(`/files/${path}`, { as, headers })
  }

  /** DELETE of an upload. */
  drop(as: string, key: string): Promise<Answer<Refusal & { data: string }>> {
    return this.app.fetch(`/api/v1/svc/object/upload/${key}`, { as, method: 'DELETE' })
  }

  /** Names in `files/` of the data folder, once what was released is gone. */
  async kept(): Promise<string[]> {
    await this.app.context.files.settle()
    return readdirSync(join(this.app.folder, 'files')).sort()
  }

  /** Names of what is being received. */
  received(): string[] {
    return readdirSync(join(this.app.folder, 'uploads'))
  }
}

/** The papers, with settings and a clock of a test. */
export async function openPapers(options: Omit<AppOptions, 'application'> = {}): Promise<{
  app: TestApp
  papers: Papers
}> {
  const app = await startApp({ ...options, application: PAPERS })
  await app.context.files.clearReceived()
  return { app, papers: new Papers(app) }
}

export const text = (content: string, name = 'note.txt'): File => new File([content], name)

const PNG_BASE64 =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** A picture of one pixel. */
export const png = (name = 'dot.png'): File => new File([Buffer.from(PNG_BASE64, 'base64')], name)
