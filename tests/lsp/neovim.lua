-- What a person does with the server: waits for diagnostics, looks at hints and hover, applies the fix, saves.
local seen = {}
local buffer = vim.api.nvim_get_current_buf()
local folder = vim.fn.getcwd()
local patience = 120000

local client = assert(vim.lsp.start_client({
  name = "bankwise",
  cmd = { os.getenv("BANKWISE"), "lsp" },
  root_dir = folder,
  workspace_folders = { { uri = vim.uri_from_fname(folder), name = "folder" } },
}))
vim.lsp.buf_attach_client(buffer, client)

local function diagnostics()
  local list = {}
  for _, d in ipairs(vim.diagnostic.get(buffer)) do
    table.insert(list, { d.lnum, d.code or d.user_data.lsp.code, d.severity })
  end
  return list
end
local function ask(method, params)
  params.textDocument = { uri = vim.uri_from_bufnr(buffer) }
  local answers = assert(vim.lsp.buf_request_sync(buffer, method, params, patience))
  return answers[client].result
end
local whole = { start = { line = 0, character = 0 }, ["end"] = { line = 100, character = 0 } }
local of_load = { start = { line = 17, character = 0 }, ["end"] = { line = 17, character = 0 } }

local ran, wrong = pcall(function()
  vim.wait(patience, function() return #vim.diagnostic.get(buffer) > 0 end, 50)
  seen.diagnostics = diagnostics()
  seen.message = vim.diagnostic.get(buffer)[1].message
  seen.hints = vim.tbl_map(function(h) return h.label end, ask("textDocument/inlayHint", { range = whole }))
  seen.hover = ask("textDocument/hover", { position = { line = 17, character = 4 } }).contents.value
  seen.lenses = vim.tbl_map(function(l) return l.command.title end, ask("textDocument/codeLens", {}))
  local actions = ask("textDocument/codeAction", { range = of_load, context = { diagnostics = {} } })
  seen.actions = vim.tbl_map(function(a) return a.title end, actions)
  vim.lsp.util.apply_workspace_edit(actions[1].edit, "utf-16")
  vim.cmd("write")
  vim.wait(patience, function()
    for _, d in ipairs(diagnostics()) do
      if d[2] == "stale" then return true end
    end
    return false
  end, 50)
  seen.after = diagnostics()
  vim.lsp.stop_client(client)
  seen.stopped = vim.wait(patience, function() return vim.lsp.client_is_stopped(client) end, 50)
end)
if not ran then seen.wrong = tostring(wrong) end
vim.fn.writefile({ vim.fn.json_encode(seen) }, folder .. "/seen.json")
vim.cmd("qall!")
