/** Files: saving them here, reading them from here, and dragging. */
import assert from 'node:assert/strict'
import type { Area, Attack } from '../attack.ts'
import type { Scene } from '../scene.ts'
import { click, frame, refusedBy, waitWhile } from './scripts.ts'

const asksForFile = 'a file on this computer'

/** What the person drags onto the page, as the system reports it. */
function dropped(name: string, items: { mimeType: string; data: string }[], files: string[] = []): Attack {
  return {
    name,
    guard: ['browser'],
    page: '<body style="height:100vh">',
    play: async (scene) => {
      for (const type of ['dragEnter', 'dragOver', 'drop']) {
        await scene.say({
          do: 'debug',
          method: 'Input.dispatchDragEvent',
          params: { type, x: 200, y: 200, data: { items, files, dragOperationsMask: 1 } }
        })
      }
    }
  }
}

const FIELD = '<input id=go type=file>'
const fileRequests = (scene: Scene) => scene.kinds().filter((kind) => kind === 'asks-for-file').length
const held = (scene: Scene) => scene.run('return [...document.getElementById("go").files].map((f) => f.name)')

async function ask(scene: Scene, how = 'click()'): Promise<void> {
  await scene.run(`document.getElementById("go").${how}`)
}

async function asks(scene: Scene): Promise<void> {
  await ask(scene)
  await scene.until(() => fileRequests(scene) === 1, 'the person to be asked for a file')
}

const give = (scene: Scene, name = 'passport.pdf') => scene.say({ do: 'give', name, text: 'the passport' })

/** In an office that lets a person give a page one of the files that staff opened for their turn. */
const givenOnes: readonly Attack[] = [
  {
    name: 'have a file that nobody gave, where files may be given',
    page: FIELD,
    turn: { files: true },
    guard: ['given'],
    play: async (scene) => {
      await asks(scene)
      assert.deepEqual(await held(scene), [])
      // If the page doesn't ask, there is nothing to fill.
      await give(scene)
      await assert.rejects(give(scene))
    }
  },
  {
    name: 'learn where a file was that it is given',
    page: FIELD,
    turn: { files: true },
    guard: ['browser'],
    play: async (scene) => {
      await asks(scene)
      await give(scene)
      const readable = await scene.run(
        'const go = document.getElementById("go"); const [f] = go.files; return [f.name, f.webkitRelativePath, go.value, f.path ?? "", await f.text()]'
      )
      assert.deepEqual(readable, ['passport.pdf', '', 'C:\\fakepath\\passport.pdf', '', 'the passport'])
    }
  },
  {
    name: 'have a whole folder, where files may be given',
    page: '<input id=go type=file webkitdirectory multiple>',
    turn: { files: true },
    guard: ['given'],
    play: async (scene) => {
      await ask(scene, 'showPicker()')
      await scene.untilTold('a whole folder')
      assert.equal(fileRequests(scene), 0)
      await assert.rejects(give(scene))
      assert.deepEqual(await held(scene), [])
    }
  },
  {
    name: 'turn its field into one for folders once it has asked',
    page: FIELD,
    turn: { files: true },
    guard: ['given'],
    play: async (scene) => {
      await asks(scene)
      await scene.run('document.getElementById("go").webkitdirectory = true')
      await assert.rejects(give(scene))
      assert.deepEqual(await held(scene), [])
    }
  },
  {
    name: 'have a file put into another document than the one that asked',
    page: FIELD,
    turn: { files: true },
    guard: ['browser'],
    play: async (scene) => {
      await asks(scene)
      await scene.arrive()
      await assert.rejects(give(scene))
      assert.deepEqual(await held(scene), [])
    }
  },
  {
    name: 'have a file put into a frame without an address of its own',
    page: '<iframe id=f srcdoc="<input id=go type=file>"></iframe>',
    turn: { files: true },
    guard: ['given'],
    play: async (scene) => {
      const field = 'document.getElementById("f").contentDocument.getElementById("go")'
      await scene.run(`${waitWhile(`!${field}`)}; ${field}.click()`)
      await scene.untilTold(asksForFile)
      assert.equal(fileRequests(scene), 0)
      await assert.rejects(give(scene))
    }
  },
  {
    name: 'open a file by a dialog of its own, where files may be given',
    page: FIELD,
    turn: { files: true },
    guard: ['hold'],
    play: async (scene) => {
      await scene.run('window.showOpenFilePicker?.().catch(() => {})')
      await scene.untilTold(asksForFile)
      assert.equal(fileRequests(scene), 0)
    }
  }
]

export const files: Area = {
  title: 'Files, printing, drag and drop',
  about:
    'A program that is saved waits for a click; a file that is chosen is read. Neither is for the person at the counter: what may be kept, staff keeps. Where the office lets a person give a page a file, it is one of those that staff opened for their turn, and a copy of that one alone.',
  by: 'signing page',
  guard: ['downloads'],
  sharesTurns: true,
  attacks: [
    {
      name: 'save a program by a link',
      ...click('<a id=go download="run.exe" href="/file">go</a>'),
      message: 'save a file'
    },
    { name: 'save a program by moving to it', script: 'location = "/file"', message: 'save a file' },
    {
      name: 'save data by a link',
      ...click('<a id=go download="run.exe" href="data:application/octet-stream,MZ">go</a>'),
      message: 'save a file'
    },
    {
      name: 'save a blob by a link',
      page: '<a id=go download="run.exe">go</a>',
      script: 'const a = document.getElementById("go"); a.href = URL.createObjectURL(new Blob(["MZ"])); a.click()',
      message: 'save a file'
    },
    {
      name: 'save under a name that leads out of the folder',
      ...click('<a id=go download="../../run.exe" href="data:application/octet-stream,MZ">go</a>'),
      message: 'save a file'
    },
    { name: 'save from a frame', ...frame('/file'), message: 'save a file' },
    {
      name: 'save by sending a form',
      ...click('<form action="/file" method=post><button id=go>go</button></form>'),
      message: 'save a file'
    },
    { name: 'save by opening a window', script: 'window.open("/file")', guard: ['windows', 'downloads'] },
    {
      name: 'save one file after the other',
      script:
        'for (let i = 0; i < 20; i++) { const a = document.createElement("a"); a.download = i + ".exe"; a.href = "/file"; a.click(); await new Promise((r) => setTimeout(r, 10)) }',
      message: 'save a file'
    },
    {
      name: 'save the page as a file that runs',
      script: 'location = "/say?type=application/hta&body=x"',
      message: 'save a file'
    },
    ...(
      [
        ['a program for Windows', 'application/x-msdownload'],
        ['an installer', 'application/x-msi'],
        ['a shortcut', 'application/x-ms-shortcut'],
        ['a program that installs itself from the web', 'application/x-ms-application'],
        ['a disk', 'application/x-apple-diskimage'],
        ['an archive', 'application/zip'],
        ['a program of Java', 'application/java-archive'],
        ['a sheet with macros', 'application/vnd.ms-excel.sheet.macroEnabled.12'],
        ['settings for this computer', 'application/x-apple-aspen-config']
      ] as const
    ).map(
      ([what, type]): Attack => ({
        name: `save ${what} by moving to it`,
        script: `location = "/say?body=x&type=${type}"`,
        message: 'save a file'
      })
    ),
    {
      name: 'save a page that calls itself a file',
      script: 'location = "/say?body=x&h=" + encodeURIComponent("Content-Disposition:attachment; filename=a.html")',
      message: 'save a file'
    },
    { name: 'save by being sent to a file', script: 'location = "/redirect/302?to=/file"', message: 'save a file' },
    {
      name: 'open a folder of this computer',
      script: refusedBy('(window.showDirectoryPicker?.() ?? Promise.reject())'),
      guard: ['hold'],
      answers: 'refused',
      message: asksForFile
    },
    {
      name: 'open a file of this computer',
      script: refusedBy('(window.showOpenFilePicker?.() ?? Promise.reject())'),
      guard: ['hold'],
      answers: 'refused',
      message: asksForFile
    },
    {
      name: 'save by a dialog of its own',
      script: refusedBy('(window.showSaveFilePicker?.({ suggestedName: "run.exe" }) ?? Promise.reject())'),
      guard: ['hold'],
      answers: 'refused',
      message: asksForFile
    },
    {
      name: 'have a file chosen by a button',
      page: '<input id=go type=file>',
      script:
        'document.getElementById("go").click(); await new Promise((r) => setTimeout(r, 300)); return document.getElementById("go").files.length',
      guard: ['hold'],
      answers: 0,
      message: asksForFile
    },
    {
      name: 'have a folder chosen by a button',
      page: '<input id=go type=file webkitdirectory multiple>',
      script:
        'document.getElementById("go").showPicker(); await new Promise((r) => setTimeout(r, 300)); return document.getElementById("go").files.length',
      guard: ['hold'],
      answers: 0,
      message: asksForFile
    },
    {
      name: 'have a file chosen from within a frame',
      page: '<iframe id=f srcdoc="<input id=go type=file>"></iframe>',
      script:
        'await new Promise((r) => setTimeout(r, 200)); const f = document.getElementById("f").contentDocument.getElementById("go"); f.click(); await new Promise((r) => setTimeout(r, 300)); return f.files.length',
      guard: ['hold'],
      answers: 0,
      message: asksForFile
    },
    ...givenOnes,
    {
      name: 'have a file named by a script',
      page: '<input id=go type=file>',
      script:
        'try { document.getElementById("go").value = "/etc/passwd" } catch {} return document.getElementById("go").files.length',
      guard: ['browser'],
      answers: 0
    },
    {
      name: 'print',
      script: 'let begun = 0; onbeforeprint = () => begun++; window.print(); return begun',
      guard: ['hold', 'policy'],
      answers: 0
    },
    {
      name: 'print from a frame that it has only just made',
      script: 'const f = document.createElement("iframe"); document.body.append(f); f.contentWindow.print()',
      guard: ['hold'],
      message: 'tried to print'
    },
    {
      name: 'print from a frame',
      page: '<iframe id=f src="/embedded"></iframe>',
      script: 'await new Promise((r) => setTimeout(r, 200)); document.getElementById("f").contentWindow.print()',
      guard: ['hold'],
      message: 'tried to print'
    },
    {
      name: 'print without end',
      script: 'for (let i = 0; i < 50; i++) window.print(); return "over"',
      guard: ['hold'],
      message: 'tried to print',
      answers: 'over'
    },
    dropped('be left for a link that is dropped onto it', [
      { mimeType: 'text/uri-list', data: 'https://evil.example/' }
    ]),
    dropped('be left for a file that is dropped onto it', [], ['/etc/hostname']),
    dropped('be left for a script that is dropped onto it', [
      { mimeType: 'text/uri-list', data: 'javascript:document.title="owned"' }
    ]),
    {
      name: 'be left for what itself puts on the pointer',
      guard: ['browser'],
      page: '<div id=d draggable=true style="width:300px;height:300px">drag</div>',
      script:
        'document.getElementById("d").addEventListener("dragstart", (e) => { e.dataTransfer.setData("text/uri-list", "https://evil.example/"); e.dataTransfer.setData("DownloadURL", "application/octet-stream:run.exe:{here}/file") })',
      play: async (scene) => {
        const mouse = (type: string, x: number, y: number) =>
          scene.say({
            do: 'debug',
            method: 'Input.dispatchMouseEvent',
            params: { type, x, y, button: 'left', buttons: 1, clickCount: 1 }
          })
        await mouse('mousePressed', 50, 50)
        for (const at of [60, 90, 200]) await mouse('mouseMoved', at, at)
        await mouse('mouseReleased', 200, 200)
        assert.equal((await scene.facts()).files.length, 0)
      }
    }
  ]
}
