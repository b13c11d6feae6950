-- bankwise in Neovim, 0.7 or newer: dofile("/usr/share/bankwise/neovim/bankwise.lua") in init.lua.
--
-- Starts `bankwise lsp` for sources below a bankwise.toml, one server for each. :BankwiseRun makes all reports, :BankwiseExplain says
-- what accesses to the array that is declared on the line of the cursor cost.
local program = vim.g.bankwise_program or "bankwise"
local servers = {} -- ids of clients, by folder

local function folder_of(buffer)
  local file = vim.api.nvim_buf_get_name(buffer)
  local found = vim.fn.findfile("bankwise.toml", vim.fn.fnamemodify(file, ":p:h") .. ";")
  if file == "" or found == "" then return nil end
  return vim.fn.fnamemodify(found, ":p:h")
end

local function shows_hints(buffer)
  if vim.lsp.inlay_hint and type(vim.lsp.inlay_hint) == "table" and vim.lsp.inlay_hint.enable then -- 0.10
    pcall(vim.lsp.inlay_hint.enable, true, { bufnr = buffer })
  end
end

local function start(buffer)
  local folder = folder_of(buffer)
  if not folder then return end
  local server = {
    name = "bankwise",
    cmd = { program, "lsp" },
    root_dir = folder,
    workspace_folders = { { uri = vim.uri_from_fname(folder), name = folder } },
    init_options = { showsText = true },
  }
  local id = servers[folder]
  if vim.lsp.start then -- 0.8: it knows the servers that there are
    id = vim.lsp.start(server, { bufnr = buffer })
  else
    if not id or not vim.lsp.get_client_by_id(id) then id = vim.lsp.start_client(server) end
    if id then vim.lsp.buf_attach_client(buffer, id) end
  end
  servers[folder] = id
  if id then shows_hints(buffer) end
end

local function execute(command, arguments, answered)
  local id = servers[folder_of(0) or ""]
  local client = id and vim.lsp.get_client_by_id(id)
  if not client then return vim.notify("bankwise: no bankwise.toml here, or its server has ended", vim.log.levels.WARN) end
  local params = { command = command, arguments = arguments }
  vim.lsp.buf_request(0, "workspace/executeCommand", params, function(wrong, result)
    if wrong then return vim.notify("bankwise: " .. wrong.message, vim.log.levels.ERROR) end
    if answered then answered(result) end
  end)
end

-- A lens that is run: its text in a window at the cursor.
local function explain(command)
  execute(command.command, command.arguments, function(result)
    if type(result) ~= "table" or not result.text then return end
    vim.lsp.util.open_floating_preview(vim.split(result.text, "\n", { trimempty = true }), "text", { wrap = false })
  end)
end
vim.lsp.commands["bankwise.explain"] = explain

vim.api.nvim_create_user_command("BankwiseRun", function() execute("bankwise.run") end, {})
vim.api.nvim_create_user_command("BankwiseExplain", function()
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  local params = { textDocument = vim.lsp.util.make_text_document_params() }
  vim.lsp.buf_request(0, "textDocument/codeLens", params, function(_, lenses)
    for _, lens in ipairs(lenses or {}) do
      if lens.range.start.line == line and lens.command.command == "bankwise.explain" then return explain(lens.command) end
    end
    vim.notify("bankwise: no __shared__ array is declared on this line")
  end)
end, {})

vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile" }, {
  pattern = { "*.cu", "*.cuh", "*.h", "*.hpp", "*.cpp", "*.cc", "*.cxx", "*.py", "bankwise.toml" },
  callback = function(event) start(event.buf) end,
})
