/** The offers of a sign-in page, before a user is known: `/api/v1/auth/methods` and `/logo`. */
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { Type } from '@sinclair/typebox'
import { notFound } from '../../kernel/failure.ts'
import { ENGINE_LANGUAGES, say } from '../../kernel/messages.ts'
import { named, orNull } from '../../kernel/schema.ts'
import { text } from '../../kernel/setting.ts'
import { MAIL } from '../../engine/mail/mail-options.ts'
import { findProductLogo } from '../../engine/printed-reports/branding.ts'
import type { AppContext } from '../../server/context.ts'
import { holdsTag } from '../../server/file-answer.ts'
import { HTTP } from '../../server/floor.ts'
import { OPEN } from '../../server/gate.ts'
import { okText } from '../../server/reply.ts'
import { type Call, route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'

/** Settings of how the installation presents itself. */
export const PRODUCT = {
  name: text(
    'Svc:Product:Name',
    'What pages of the client call this installation',
    'Application Engine',
    { pattern: /^[^\p{C}]{1,64}$/u, expected: 'at most 64 visible characters' },
  ),
  color: text('Svc:Product:Color', 'The colour of the client’s pages, as #1a5fb4', '', {
    pattern: /^#[0-9a-fA-F]{6}$/,
    expected: 'a colour like #1a5fb4',
  }),
}

const SignInMethods = named(
  'SignInMethods',
  Type.Object(
    {
      Password: Type.Boolean({ description: 'User name and password, at /login' }),
      Passkeys: Type.Boolean(),
      Providers: Type.Array(
        named(
          'SignInProvider',
          Type.Object({
            Name: Type.String(),
            Label: Type.String(),
            Url: Type.String({ description: 'Where the browser goes to sign in' }),
          }),
        ),
        { description: 'Others by whom users sign in' },
      ),
      PasswordReset: Type.Boolean({
        description: 'A forgotten password is set by a mail: false without a mail server',
      }),
      ProductName: Type.String(),
      Logo: orNull(Type.String({ description: 'Address of a picture; null without one' })),
      Color: orNull(Type.String({ pattern: '^#[0-9a-f]{6}$' })),
      Languages: Type.Array(Type.String(), {
        description: 'Tags of the languages that answers come in',
      }),
    },
    {
      examples: [
        {
          Password: true,
          Passkeys: false,
          Providers: [],
          PasswordReset: true,
          ProductName: 'Harbour Trading',
          Logo: '/api/v1/auth/logo?v=Zk3rW0aQx1',
          Color: '#1a5fb4',
          Languages: ['en', 'de'],
        },
      ],
    },
  ),
)

const GET_METHODS = {
  response: Envelope(SignInMethods),
  detail: {
    'x-gate': OPEN,
    operationId: 'getSignInMethods',
    summary: 'How users may sign in, and what the installation looks like',
    description:
      'The same for everybody, kept for 5 minutes by browsers and proxies. The logo is ' +
      '`branding/logo.png` or `.jpg` of the data folder.',
  },
}

const PICTURE = {
  'image/*': { schema: { type: 'string', format: 'binary' } },
} as const

const GET_LOGO = {
  query: Type.Object({
    v: Type.Optional(Type.String({ description: 'Changes with the picture; it is not read' })),
  }),
  detail: {
    'x-gate': OPEN,
    operationId: 'getLogo',
    summary: 'The logo of the installation',
    description: 'As `Logo` of `/auth/methods` names it; 404 without one.',
    responses: {
      200: { description: 'The picture', content: PICTURE },
      304: { description: 'The client has it, by its ETag' },
    },
  },
}

/** Seconds for which browsers and proxies keep an answer. */
const KEPT = 300

const TYPES: Readonly<Record<string, string>> = { png: 'image/png', jpg: 'image/jpeg' }

interface Logo {
  path: string
  /** Of the file: another one is read again. */
  changedAt: number
  bytes: Uint8Array<ArrayBuffer>
  hash: string
}

const logos = new WeakMap<AppContext, Logo>()

/** Finds the logo, which is read when the file is another one than before. */
async function findLogo(app: AppContext): Promise<Logo | undefined> {
  const path = await findProductLogo(app.folder)
  if (path === undefined) return undefined
  const changedAt = (await stat(path)).mtimeMs
  const known = logos.get(app)
  if (known?.path === path && known.changedAt === changedAt) return known
  const bytes = Uint8Array.from(await readFile(path))
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  const logo = { path, changedAt, bytes, hash }
  logos.set(app, logo)
  return logo
}

async function answerMethods({ app, servedModel }: Call<typeof GET_METHODS>): Promise<Response> {
  const { settings } = app
  const logo = await findLogo(app)
  const path = `${settings.get(HTTP.basePath)}${PREFIX}/logo?v=${logo?.hash}`
  const methods = {
    Password: true,
    Passkeys: false,
    Providers: [],
    PasswordReset: settings.get(MAIL.host) !== '',
    ProductName: settings.get(PRODUCT.name),
    Logo: logo === undefined ? null : path,
    Color: settings.get(PRODUCT.color).toLowerCase() || null,
    Languages: [...new Set([...ENGINE_LANGUAGES, ...servedModel.languages])],
  }
  const response = okText(JSON.stringify(methods))
  response.headers.set('Cache-Control', `public, max-age=${KEPT}`)
  return response
}

async function answerLogo({ app, request }: Call<typeof GET_LOGO>): Promise<Response> {
  const logo = await findLogo(app)
  if (!logo) throw notFound(say`This installation has no logo`, { code: 'FILE_NOT_FOUND' })
  const headers = new Headers({
    ETag: `"${logo.hash}"`,
    'Cache-Control': `public, max-age=${KEPT}`,
    'Content-Security-Policy': 'sandbox',
    'X-Content-Type-Options': 'nosniff',
  })
  if (holdsTag(request.headers.get('if-none-match'), `"${logo.hash}"`))
    return new Response(null, { status: 304, headers })
  headers.set('Content-Type', TYPES[logo.path.slice(-3)] ?? 'application/octet-stream')
  return new Response(logo.bytes, { headers })
}

const PREFIX = '/api/v1/auth'

/** Gate: open to all, who get the same. */
export const METHODS_ROUTES: RouteGroup = {
  prefix: PREFIX,
  area: 'Sign-in',
  routes: [
    route('GET', '/methods', GET_METHODS, answerMethods),
    route('GET', '/logo', GET_LOGO, answerLogo),
  ],
}
