# Sets NVCC to the compiler of the CUDA toolkit, if it is installed, and CUDA_TOOLKIT to the toolkit's folder.
find_program(NVCC NAMES nvcc HINTS $ENV{CUDA_HOME}/bin PATHS /usr/local/cuda/bin)
if(NVCC)
  file(REAL_PATH ${NVCC} nvcc_itself)
  get_filename_component(CUDA_TOOLKIT ${nvcc_itself} DIRECTORY)
  get_filename_component(CUDA_TOOLKIT ${CUDA_TOOLKIT} DIRECTORY)
endif()
set(BANKWISE_RECORD_ARCHITECTURES 75 80 86 89 90 100 120 CACHE STRING "Architectures that bankwise record has patches for")
