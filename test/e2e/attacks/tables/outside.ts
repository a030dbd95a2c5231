/** What a web page or another program can open with the application: links and files, as arguments of a start. */
import type { Area, Attack } from '../attack.ts'

const linked = (name: string, query: string): Attack => ({
  name,
  script: `countersign://draft?${query}`,
  answers: ['refused']
})

export const outside: Area = {
  title: 'A link or a file from outside',
  about:
    'Any web page can have a `countersign:` link opened, and any program a file. Nothing of it is kept before a person has seen what it holds and agreed, it sets nothing but who is to sign what, and nothing is ever sent by it. None of these makes a draft.',
  by: 'argument',
  guard: ['asked first'],
  attacks: [
    { name: 'send a package', script: 'countersign://send?kind=form&name=Deed', answers: ['refused'] },
    linked('have its draft sent', 'kind=form&name=Deed&send=1'),
    linked('be told of what is signed', 'kind=form&name=Deed&NotifyUrl=http://{elsewhere}/'),
    linked('have signers led to a page of its own', 'kind=form&name=Deed&ReturnUrl=http://{elsewhere}/'),
    linked('share the document with someone else', 'kind=form&signer1.email=a@b.example&signer1.ShareUsers=eve'),
    linked('bring data of a form', 'kind=form&XMLData=%3Cx%2F%3E'),
    linked('reach what all objects share', 'kind=form&__proto__=x'),
    linked('reach what all objects share by a signer', 'kind=form&signer1.__proto__=x'),
    linked('show one name and mean another', 'kind=form&signer1.lastName=%E2%80%AEfdp.exe'),
    linked('hide letters in an address', 'kind=form&signer1.email=mere%E2%80%8B@example.com'),
    linked('break a line to look like two', 'kind=form&name=Deed%0ASigner%201'),
    linked('say one thing first and another last', 'kind=form&name=Deed&name=Mortgage'),
    linked('fill the screen with one name', `kind=form&name=${'a'.repeat(501)}`),
    linked('fill the memory', `kind=form&name=Deed&reference=${'%20'.repeat(3000)}`),
    linked('name a crowd', `kind=form&${Array.from({ length: 21 }, (_, at) => `signer${at + 1}.email=x`).join('&')}`),
    {
      name: 'open a file of another computer',
      script: 'file://server/share/drafts.countersign',
      answers: []
    },
    { name: 'pass a switch for a file', script: '--load=drafts.countersign', answers: [] },
    {
      name: 'make a draft that nobody asked for',
      script: 'countersign://draft?kind=form&name=Deed',
      answers: ['draft'],
      contained: 'A person is shown all that it holds, and it is made only once they agree.'
    },
    {
      name: 'import a file that nobody asked for',
      script: 'drafts.countersign',
      answers: ['file'],
      contained: 'A person is shown how much is in it, and it is imported only once they agree.'
    },
    {
      name: 'ask until someone agrees',
      script: Array.from({ length: 40 }, (_, at) => `countersign://draft?kind=form&name=${at}`).join('\n'),
      answers: Array.from({ length: 10 }, () => 'draft'),
      contained: 'Ten wait at a time, each said no to once; what comes beyond them is dropped.'
    }
  ]
}
